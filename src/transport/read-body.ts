import { ClientDisconnected } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { endBody } from './recheck-caller.ts'

/**
 * Reads a JSON object of at most `maxBytes`; an empty body is `{}`. Refuses with INVALID_INPUT, UNSUPPORTED_MEDIA_TYPE or
 * PAYLOAD_TOO_LARGE.
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, maxBytes)
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('INVALID_INPUT', 'Invalid JSON body: expected an object')
  }
  return value as Record<string, unknown>
}

/** Reads a JSON body; undefined if it is empty. Refuses like `readJsonObject`. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding !== 'identity') {
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding ${encoding} is not supported. Send the body uncompressed.`,
    )
  }
  const bytes = await readBytes(request, maxBytes)
  if (bytes.byteLength === 0) return undefined
  if (hasTooManyValues(bytes)) {
    throw new AppError('PAYLOAD_TOO_LARGE', `Send at most ${maxValues} values and fields in one JSON body.`)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'it is not valid JSON' : 'it is not valid UTF-8'
    throw new AppError('INVALID_INPUT', `Invalid JSON body: ${reason}`)
  }
}

/** More than the largest call needs: a table of contents of 20,000 entries has 80,000. Megabytes of them take seconds. */
const maxValues = 200_000

/** True if a JSON text has more values and fields than a call needs. */
function hasTooManyValues(json: Uint8Array): boolean {
  // Fewer bytes cannot have more.
  if (json.byteLength <= maxValues) return false
  let count = 0
  let isInString = false
  for (let at = 0; at < json.byteLength; at++) {
    const byte = json[at]
    if (byte === quote) isInString = !isInString
    else if (byte === backslash) at++
    else if (!isInString && (byte === comma || byte === bracket || byte === brace) && ++count > maxValues) return true
  }
  return false
}

const [quote, backslash, comma, bracket, brace] = Buffer.from('"\\,[{')

/**
 * Reads a body of at most `maxBytes`; refuses a larger one with PAYLOAD_TOO_LARGE before buffering it, and like
 * `endBody`. Throws ClientDisconnected if the connection is lost.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const bytes = await collectBytes(request, maxBytes).catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? new ClientDisconnected() : error
  })
  await endBody(request)
  return bytes
}

async function collectBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw payloadTooLarge(maxBytes)
    return new Uint8Array(await request.arrayBuffer())
  }
  if (!request.body) return new Uint8Array()
  // Not `for await`: leaving it early cancels the stream and closes the connection before the refusal is sent.
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > maxBytes) throw payloadTooLarge(maxBytes)
    chunks.push(value)
  }
}

function payloadTooLarge(maxBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `Request body too large. Send at most ${maxBytes} bytes.`)
}
