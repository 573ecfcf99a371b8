import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { readJsonObject } from '../transport/read-body.ts'
import type { RawInput, Route, Declaration } from '../core/tool.ts'

/** Largest request body where a route does not say otherwise, in bytes. */
export const defaultMaxBytes = 1024 * 1024

/** Collects path, query and body values of a request into the raw input of a tool. */
export async function readInput(
  request: Request,
  tool: Declaration,
  params: Record<string, string>,
): Promise<RawInput> {
  const route = tool.rest as Route
  const urlValues = { ...readQuery(request, route), ...params }
  const body = hasBody(route) ? await readJsonObject(request, route.maxBytes ?? defaultMaxBytes) : {}
  const raw: Record<string, unknown> = { ...body }
  for (const [name, value] of Object.entries(urlValues)) raw[route.fieldNames?.[name] ?? name] = value
  if (route.ifMatch) applyIfMatch(request, raw, route.ifMatch)
  return {
    raw: route.rejectUnknownFields ? raw : pickKnownFields(route.input ?? tool.input, raw),
    schema: route.input,
    idempotencyKey: request.headers.get('idempotency-key'),
  }
}

/** Puts the version of an `If-Match: "7"` header (RFC 9110, section 13.1.1) into its field; `*` asks for nothing. */
function applyIfMatch(request: Request, raw: Record<string, unknown>, field: string): void {
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
export function hasBody({ method, queryFields: query }: Route): boolean {
  return method !== 'GET' && !query
}

function readQuery(request: Request, { method, queryFields: query = [] }: Route): Record<string, string> {
  if (!request.url.includes('?')) return {}
  const entries = [...new URL(request.url).searchParams].reverse()
  return Object.fromEntries(method === 'GET' ? entries : entries.filter(([name]) => query.includes(name)))
}

/** Older clients send extra fields: a plain object schema sees only the ones it knows. */
function pickKnownFields(schema: z.ZodType, raw: Record<string, unknown>): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject)) return raw
  return Object.fromEntries(Object.entries(raw).filter(([key]) => Object.hasOwn(schema.shape, key)))
}
