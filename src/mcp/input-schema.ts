import { z } from 'zod'
import type { Declaration } from '../core/tool.ts'
import { argumentsOf, elementOf, isOpenObject, type Argument } from './arguments.ts'
import { perInput } from './per-input.ts'

export type JsonSchema = Record<string, unknown>
export type ObjectSchema = JsonSchema & { type: 'object' }

/** Cache of converted schemas, which the tool list and explanations of refusals share. */
const converted = { input: new WeakMap<z.ZodType, ObjectSchema>(), output: new WeakMap<z.ZodType, ObjectSchema>() }

/**
 * The JSON Schema of a zod object, without keywords that cost tokens and carry no information. Returns a shared object:
 * do not modify it.
 */
export function objectSchema(schema: z.ZodType, io: 'input' | 'output'): Readonly<ObjectSchema> {
  const known = converted[io].get(schema) ?? convert(schema, io)
  converted[io].set(schema, known)
  return known
}

function convert(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const json = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => dropRedundantBounds(jsonSchema, io) })
  const { $schema: _, ...rest } = json
  return { ...rest, type: 'object' }
}

/**
 * Removes the bounds that zod writes for every safe integer, which cost tokens. In output schemas, which only programs
 * read, also removes descriptions and `additionalProperties: false`, so that a cached schema accepts later fields.
 */
function dropRedundantBounds(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (io === 'input') return
  delete schema['description']
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
}

const idempotencyKey = {
  type: 'string',
  maxLength: 255,
  description: 'Send the same key again to retry a lost call.',
}

/** The complete input schema of a tool; refusals are explained with it. */
export function acceptedSchema({ input, idempotent }: Declaration): ObjectSchema {
  const schema = objectSchema(input, 'input')
  if (!idempotent) return schema
  return { ...schema, properties: { ...(schema['properties'] as object), idempotencyKey } }
}

/**
 * The input schema in `tools/list`: `acceptedSchema`, adjusted for the converters of agent frameworks (OpenAI strict,
 * Anthropic, Gemini). No `additionalProperties`, which google-genai cannot read; no lists of types, which Anthropic's
 * converter cannot read; objects without declared fields as JSON text; keywords inside `anyOf`, because Gemini's
 * converter drops those next to it. Strict modes require all arguments, so each optional one accepts a value that means
 * "absent": its default, an empty string or null.
 */
export function listedSchema(tool: Declaration): Readonly<ObjectSchema> {
  return listedOnce(tool)
}

const listedOnce = perInput((tool: Declaration) => listedForm(acceptedSchema(tool), tool.input, tool) as ObjectSchema)

function listedForm(schema: JsonSchema, declared: z.ZodType, tool: Declaration): JsonSchema {
  if (isOpenObject(declared)) return { type: 'string', description: `${schema['description'] ?? ''} JSON text.`.trim() }
  const { additionalProperties: _, ...rest } = withoutHugeBounds(schema)
  const element = elementOf(declared)
  if (element) return { ...rest, items: listedForm(schema['items'] as JsonSchema, element, tool) }
  const fields = argumentsOf(declared, tool)
  if (!fields) return rest
  const properties = Object.entries(schema['properties'] as Record<string, JsonSchema>).map(([name, property]) => {
    const argument = fields.get(name)
    if (!argument) return [name, property]
    const listed = listedForm(withoutNull(property), argument.field, tool)
    if (!argument.optional) return [name, listed]
    if (canBeEmpty(listed, argument)) return [name, withoutLowerBound(listed)]
    return [name, 'default' in listed ? withDefaultInWords(listed) : orNull(listed)]
  })
  return { ...rest, properties: Object.fromEntries(properties) }
}

/** The single non-null alternative of a nullable schema. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const only = (anyOf as JsonSchema[]).find(({ type }) => type !== 'null')
  return { ...only, ...rest }
}

function canBeEmpty({ type, enum: values }: JsonSchema, { whenEmpty }: Argument): boolean {
  return type === 'string' && values === undefined && whenEmpty === 'left out'
}

/** Removes lower bounds, because an empty string means "absent" and must be valid. */
function withoutLowerBound({ minLength: _min, pattern: _pattern, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/** Moves the default to the description, because OpenAI's strict mode refuses the keyword. */
function withDefaultInWords({ default: fallback, ...rest }: JsonSchema): JsonSchema {
  return { ...rest, description: `${rest['description'] ?? ''} Default: ${fallback}.`.trim() }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

const hugeBound = 1000

/** Removes bounds so large that models do not reach them; refusals name them. */
function withoutHugeBounds({ maxLength, maxItems, ...rest }: JsonSchema): JsonSchema {
  const bounds = Object.entries({ maxLength, maxItems })
  return { ...rest, ...Object.fromEntries(bounds.filter(([, bound]) => Number(bound) <= hugeBound)) }
}
