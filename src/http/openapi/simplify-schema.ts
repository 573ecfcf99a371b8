import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from './json-schema.ts'

/** Prefix of zod's patterns for dates. */
const zodDate = '^(?:(?:\\d\\d[2468][048]'

/** Formats that replace the long patterns that zod adds to them. */
const formatsOfPatterns = new Set<unknown>(['date', 'date-time'])

/**
 * Simplifies a JSON Schema of zod for readers and code generators: `type: [T, "null"]` instead of a union with null, no
 * bounds that apply to every integer, no pattern next to an equivalent format, references into the document.
 */
export function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema)
  if (!isObject(schema)) return schema
  const simple = Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => value !== undefined && !isNoise(keyword, value, schema))
      .map(([keyword, value]) => [keyword, keyword === 'properties' ? simplifyEach(value) : simplifySchema(value)]),
  )
  if (typeof simple['$ref'] === 'string')
    simple['$ref'] = simple['$ref'].replace(/^#\/\$defs\//, '#/components/schemas/')
  return withNullAsType(simple)
}

function simplifyEach(properties: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(properties as JsonObject).map(([name, value]) => [name, simplifySchema(value)]),
  )
}

function isNoise(keyword: string, value: unknown, { format, type }: JsonObject): boolean {
  if (keyword === '$schema' || keyword === '$defs') return true
  if (keyword === 'minimum') return value === Number.MIN_SAFE_INTEGER
  return (
    keyword === 'pattern' && type === 'string' && formatsOfPatterns.has(format) && String(value).startsWith(zodDate)
  )
}

/** Rewrites `anyOf: [{ type: T }, { type: "null" }]` as `type: [T, "null"]`; a nullable reference stays a union. */
function withNullAsType(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || !anyOf.some(isNullType)) return schema
  const others = anyOf.filter((branch) => !isNullType(branch)) as JsonObject[]
  const [only] = others
  if (others.length === 1 && only) {
    if (typeof only['type'] !== 'string') return schema
    const values = Array.isArray(only['enum']) ? { enum: [...only['enum'], null] } : {}
    return { ...only, ...rest, type: [only['type'], 'null'], ...values }
  }
  return schema
}

function isNullType(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null'
}

/**
 * Opens the schema of an answer: objects are not closed, because later versions may add fields, and bounds that come
 * only from the number type are removed. Requests keep these bounds, because values beyond them are refused.
 */
export function openSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openSchema)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([keyword, value]) =>
          !(keyword === 'additionalProperties' && value === false) &&
          !(keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER),
      )
      .map(([keyword, value]) => [keyword, openSchema(value)]),
  )
}
