import { setTimeout as delay } from 'node:timers/promises'

export interface PostOptions {
  /** The base of the API, with its version: `https://api.example.com/v1`. */
  endpoint: string
  headers: Record<string, string>
  /** The maximum number of attempts. */
  maxAttempts?: number
  /** The delay after the first failure, ms. It doubles with each failure, up to a minute. */
  initialBackoffMs?: number
  /** The timeout of one response, ms. */
  timeoutMs?: number
}

/** Thrown for a failure that another attempt would not resolve. */
class EndpointError extends Error {
  override name = 'EndpointError'
}

const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529])
const maxBackoffMs = 60_000

/**
 * Posts JSON to an endpoint. Retries after lost connections, timeouts and temporary statuses (429, 5xx), with growing
 * delays or after the seconds in `Retry-After`. Throws `EndpointError` for other failures.
 */
export function createJsonPoster(options: PostOptions): (path: string, body: unknown) => Promise<unknown> {
  const { maxAttempts = 6, initialBackoffMs = 1000 } = options
  return async (path, body) => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await postOnce(options, path, body)
      if ('answer' in outcome) return outcome.answer
      if (attempt >= maxAttempts) throw new EndpointError(`${outcome.fault}, ${attempt} times`)
      const backoffMs = initialBackoffMs * 2 ** (attempt - 1)
      await delay(Math.min(outcome.retryAfterMs ?? backoffMs * (0.75 + Math.random() / 2), maxBackoffMs))
    }
  }
}

type PostOutcome = { answer: unknown } | { fault: string; retryAfterMs?: number | undefined }

async function postOnce(
  { endpoint, headers, timeoutMs = 300_000 }: PostOptions,
  path: string,
  body: unknown,
): Promise<PostOutcome> {
  try {
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (response.ok) return { answer: JSON.parse(text) as unknown }
    const fault = `The endpoint answered ${response.status}: ${text.slice(0, 500)}`
    if (!retryableStatuses.has(response.status)) throw new EndpointError(fault)
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    return { fault, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined }
  } catch (error) {
    if (error instanceof EndpointError) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return { fault: `No answer from the endpoint: ${(error as Error).message}${cause}` }
  }
}
