/** What a deployment answered. */
export interface Seen {
  status: number
  headers: Headers
  text: string
  /** The parsed body; null when it is no JSON object. */
  json: Record<string, unknown> | null
}

export interface Question {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** Asks a deployment as a client from outside does; redirects are answers, not followed. */
export interface Probe {
  /** Scheme, host and port, as clients are told them. */
  origin: string
  ask(address: string, question?: Question): Promise<Seen>
}

const patienceMs = 10_000
const mostBytes = 1024 * 1024

/** A probe for the deployment at `origin`; paths are relative to it. An answer that takes 10 s is none. */
export function createProbe(origin: string): Probe {
  return {
    origin,
    async ask(address, { method = 'GET', headers = {}, body } = {}) {
      const response = await fetch(new URL(address, origin), {
        method,
        headers: { 'User-Agent': 'lectern-doctor', ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await readText(response)
      return { status: response.status, headers: response.headers, text, json: parse(text) }
    },
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes > mostBytes) break
  }
  return Buffer.concat(parts).toString('utf8')
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
