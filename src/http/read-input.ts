import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { readJsonObject } from '../transport/read-body.ts'
import { sentFileOf } from '../transport/sent-file.ts'
import { hasBody, type RawInput, type Route, type Declaration } from '../core/tool.ts'

/** Default maximum size of a request body, bytes. */
export const defaultMaxBytes = 1024 * 1024

/** Reads path, query and body values of a request into the raw input of a tool; refuses like `readJsonObject`. */
export async function readInput(
  request: Request,
  tool: Declaration,
  params: Record<string, string>,
): Promise<RawInput> {
  const route = tool.rest as Route
  const urlValues = { ...readQuery(request, route), ...params }
  const body = hasBody(route) ? await readJsonObject(request, route.maxBytes ?? defaultMaxBytes) : {}
  const schema = route.rejectUnknownFields ? null : (route.input ?? tool.input)
  const raw = pickKnownFields(schema, body)
  for (const [name, value] of Object.entries(urlValues)) raw[route.legacy?.fieldNames?.[name] ?? name] = value
  if (route.headerFields) applyHeaderFields(request, raw, route.headerFields)
  if (route.fileBody !== undefined) raw[route.fileBody] = sentFileOf(request)
  if (route.ifMatch) applyIfMatch(request, raw, route.ifMatch)
  return {
    raw: pickKnownFields(schema, raw),
    schema: route.input,
    idempotencyKey: request.headers.get('idempotency-key'),
  }
}

/** Copies the version of an `If-Match: "7"` header (RFC 9110, section 13.1.1) into its field; ignores `*`. */
function applyIfMatch(request: Request, raw: Record<string, unknown>, field: string): void {
  const header = request.headers.get('if-match')
  if (header === null || header === '*') return
  const version = /^"(\d{1,9})"$/.exec(header)?.[1]
  if (version === undefined) throw new AppError('INVALID_INPUT', 'If-Match must be one version in quotes, such as "7"')
  if (raw[field] !== undefined && raw[field] !== Number(version)) {
    throw new AppError('INVALID_INPUT', `If-Match and ${field} name different versions. Send only one of them.`)
  }
  raw[field] = Number(version)
}

/**
 * Fills fields from header fields. Node decodes their bytes as Latin-1; text that is not valid UTF-8 stays unchanged.
 */
function applyHeaderFields(
  request: Request,
  raw: Record<string, unknown>,
  headerFields: NonNullable<Route['headerFields']>,
): void {
  for (const [field, header] of Object.entries(headerFields)) {
    const value = request.headers.get(header)
    if (value === null) continue
    const text = Buffer.from(value, 'latin1').toString('utf8')
    raw[field] = text.includes('\ufffd') ? value : text
  }
}

function readQuery(request: Request, { method, queryFields = [] }: Route): Record<string, string> {
  if (!request.url.includes('?')) return {}
  const entries = [...new URL(request.url).searchParams].reverse()
  return Object.fromEntries(method === 'GET' ? entries : entries.filter(([name]) => queryFields.includes(name)))
}

/** A copy without unknown fields, which older clients send; of all fields if the schema is null or no object. */
function pickKnownFields(schema: z.ZodType | null, raw: Record<string, unknown>): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject)) return { ...raw }
  const known = Object.keys(raw).filter((key) => Object.hasOwn(schema.shape, key))
  return Object.fromEntries(known.map((key) => [key, raw[key]]))
}
