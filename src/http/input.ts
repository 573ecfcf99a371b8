import { z } from 'zod'
import { ClientGone } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import type { RawInput, Route, Tool } from '../core/tool.ts'

/** Largest request body where a route does not say otherwise, in bytes. */
export const defaultMaxBytes = 1024 * 1024

/** Collects path, query and body values of a request into the raw input of a tool. */
export async function readInput(request: Request, tool: Tool, params: Record<string, string>): Promise<RawInput> {
  const route = tool.rest as Route
  const outside = { ...queryOf(request, route), ...params }
  const body = hasBody(route) ? await readJsonObject(request, route.maxBytes ?? defaultMaxBytes) : {}
  const raw: Record<string, unknown> = { ...body }
  for (const [name, value] of Object.entries(outside)) raw[route.rename?.[name] ?? name] = value
  if (route.ifMatch) takeIfMatch(request, raw, route.ifMatch)
  return {
    raw: route.strict ? raw : pickKnown(route.input ?? tool.input, raw),
    schema: route.input,
    idempotencyKey: request.headers.get('idempotency-key'),
  }
}

/** Puts the version of an `If-Match: "7"` header (RFC 9110, section 13.1.1) into its field; `*` asks for nothing. */
function takeIfMatch(request: Request, raw: Record<string, unknown>, field: string): void {
  const header = request.headers.get('if-match')
  if (header === null || header === '*') return
  const version = /^"(\d{1,9})"$/.exec(header)?.[1]
  if (version === undefined) throw new AppError('INVALID_INPUT', 'If-Match must be one version in quotes, such as "7"')
  if (raw[field] !== undefined && raw[field] !== Number(version)) {
    throw new AppError('INVALID_INPUT', `If-Match and ${field} name different versions; send one of them`)
  }
  raw[field] = Number(version)
}

/** Whether a route reads a body. */
export function hasBody({ method, query }: Route): boolean {
  return method !== 'GET' && !query
}

function queryOf(request: Request, { method, query = [] }: Route): Record<string, string> {
  if (!request.url.includes('?')) return {}
  const given = [...new URL(request.url).searchParams].reverse()
  return Object.fromEntries(method === 'GET' ? given : given.filter(([name]) => query.includes(name)))
}

/** Older clients send extra fields: a plain object schema sees only the ones it knows. */
function pickKnown(schema: z.ZodType, raw: Record<string, unknown>): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject)) return raw
  return Object.fromEntries(Object.entries(raw).filter(([key]) => Object.hasOwn(schema.shape, key)))
}

/** Reads a JSON object of at most `maxBytes`; refuses a larger one before it is buffered. An empty body is `{}`. */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, maxBytes)
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('INVALID_INPUT', 'Invalid JSON body: expected an object')
  }
  return value as Record<string, unknown>
}

/** Reads a JSON body; undefined when it is empty. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding !== 'identity') {
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${encoding} is not accepted; send the body as it is.`,
    )
  }
  const bytes = await readBytes(request, maxBytes)
  if (bytes.byteLength === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'it is not valid JSON' : 'it is not valid UTF-8'
    throw new AppError('INVALID_INPUT', `Invalid JSON body: ${reason}`)
  }
}

/**
 * Reads a body of at most `maxBytes`; refuses a larger one before it is buffered, and rejects with ClientGone when it breaks
 * off.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  try {
    return await collectBytes(request, maxBytes)
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? new ClientGone() : error
  }
}

async function collectBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
    return new Uint8Array(await request.arrayBuffer())
  }
  if (!request.body) return new Uint8Array()
  // Read by hand: leaving a `for await` early would cancel the stream and cut the connection before the refusal is sent.
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(value)
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `Request body too large: at most ${maxBytes} bytes are accepted.`)
}
