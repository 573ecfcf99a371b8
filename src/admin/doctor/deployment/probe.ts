/** A response of a deployment. */
export interface ProbeResponse {
  status: number
  headers: Headers
  text: string
  /** The parsed body; null if it is not a JSON object. */
  json: Record<string, unknown> | null
}

export interface ProbeRequest {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** Sends requests to a deployment from outside; does not follow redirects. */
export interface Probe {
  /** The origin that clients use. */
  origin: string
  request(address: string, options?: ProbeRequest): Promise<ProbeResponse>
}

const requestTimeoutMs = 10_000
const maxResponseBytes = 1024 * 1024

/** Creates a probe for the deployment at `origin`; paths are relative to it. Requests time out after 10 s. */
export function createProbe(origin: string): Probe {
  return {
    origin,
    async request(address, { method = 'GET', headers = {}, body } = {}) {
      const response = await fetch(new URL(address, origin), {
        method,
        headers: { 'User-Agent': 'lectern-doctor', ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeoutMs),
      })
      const text = await readText(response)
      return { status: response.status, headers: response.headers, text, json: parseJsonObject(text) }
    },
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes > maxResponseBytes) break
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
