import { version } from '../core/version.ts'
import { ClientError } from './client-error.ts'
import type { ClientCommand } from './command-table.ts'
import type { Server } from './server.ts'

/** A request to a server. */
export interface ClientRequest {
  method: string
  /** Includes the query. */
  path: string
  headers: Record<string, string>
  /** JSON text. */
  body?: string
}

/** Builds the request of a command from its values. */
export function buildRequest({ method, path, fields }: ClientCommand, values: Record<string, unknown>): ClientRequest {
  const headers: Record<string, string> = {}
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let filled = path
  for (const { name, in: place } of fields) {
    const value = values[name]
    if (value === undefined) continue
    if (place === 'path') filled = filled.replace(`{${name}}`, encodePart(String(value)))
    else if (place === 'query') query.set(name, Array.isArray(value) ? value.join(',') : String(value))
    else if (place === 'header') headers[name] = String(value)
    else body[name] = value
  }
  const hasBody = fields.some((field) => field.in === 'body')
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    headers: { ...headers, ...(hasBody ? { 'Content-Type': 'application/json' } : {}) },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  }
}

/** Encodes a path segment; a segment of dots only would be resolved as a relative path. */
function encodePart(text: string): string {
  return /^\.+$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}

/** Sends a request. Throws `ClientError` if there is no response, or if it is a redirect. */
export async function sendRequest(server: Server, request: ClientRequest): Promise<Response> {
  const { method, path, headers, body } = request
  let response: Response
  try {
    response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        'User-Agent': `lectern/${version}`,
        ...(server.key === null ? {} : { Authorization: `Bearer ${server.key}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    })
  } catch (cause) {
    throw unreachable(server.url, cause)
  }
  const location = response.headers.get('location')
  if (response.status >= 300 && response.status < 400 && location !== null) {
    const { origin } = new URL(location, server.url)
    throw new ClientError('UNAVAILABLE', `${server.url} redirects to ${origin}. Name that server with --url.`)
  }
  return response
}

/** The error for a request without a response. */
export function unreachable(url: string, cause: unknown): ClientError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? ` (${reasonOf(cause.cause)})` : ''
  const message = `No Lectern server answers at ${url}${reason}. Check that it runs and that the address is right, or name another server with --url.`
  return new ClientError('UNAVAILABLE', message, { cause })
}

/** Statuses of proxies that do not reach the server behind them. */
const proxyStatuses = new Set([502, 503, 504])

/** What to say about a response without JSON, which does not come from a Lectern server. */
export function foreignAnswer(url: string, status: number): string {
  const server = URL.parse(url)?.origin ?? 'this address'
  if (proxyStatuses.has(status))
    return `The proxy at ${server} does not reach its Lectern server at the moment (status ${status}). Try again in a few seconds.`
  return `The server at ${server} is not a Lectern server: it answered with status ${status} and without JSON.`
}

function reasonOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
