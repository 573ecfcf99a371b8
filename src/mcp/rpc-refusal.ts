import { AppError } from '../core/errors.ts'
import { readJson } from '../transport/read-body.ts'

/** JSON-RPC error codes of HTTP 401 and 403, in the range that MCP leaves to servers. */
const rpcCodes: ReadonlyMap<string, number> = new Map([
  ['UNAUTHENTICATED', -32_010],
  ['INSUFFICIENT_SCOPE', -32_011],
  ['ORIGIN_NOT_ALLOWED', -32_012],
])

/** Maximum size of a message from an unauthenticated client that is read for its id, bytes. */
const maxUnsignedBytes = 64 * 1024

interface RefusedMessage {
  error: unknown
  /** The message, if it has been read. */
  body: unknown
}

/**
 * Converts the body of a 401 or 403 to a JSON-RPC error, whose message SDKs show; the other fields are kept next to it.
 * Null for other refusals, and for requests that no MCP client sends (MCP, Streamable HTTP: a POST that accepts an
 * event stream).
 */
export async function rpcRefusalBody(
  request: Request,
  { error, body }: RefusedMessage,
): Promise<((fields: Record<string, unknown>) => object) | null> {
  const code = error instanceof AppError ? rpcCodes.get(error.code) : undefined
  const accept = request.headers.get('accept') ?? ''
  if (code === undefined || request.method !== 'POST' || !accept.includes('text/event-stream')) return null
  const id = idOf(body ?? (await readSmallMessage(request)))
  return ({ error: message, ...fields }) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message, data: fields },
    message,
    ...fields,
  })
}

/** Reads a small JSON message; undefined if it is large, of unknown size or invalid. */
async function readSmallMessage(request: Request): Promise<unknown> {
  const size = Number(request.headers.get('content-length') ?? Infinity)
  if (!(size <= maxUnsignedBytes)) return undefined
  return readJson(request, maxUnsignedBytes).catch(() => undefined)
}

function idOf(message: unknown): string | number | null {
  const { id } = (typeof message === 'object' && message !== null ? message : {}) as { id?: unknown }
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
}
