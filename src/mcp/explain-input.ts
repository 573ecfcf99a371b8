import type { AppError } from '../core/errors.ts'
import type { Declaration } from '../core/tool.ts'

type Schema = Record<string, unknown>

/** What a field takes and a call that passes, for a refusal that names the field; null for other refusals. */
export function explainInput(tool: Declaration, schema: Schema, { details }: AppError): string | null {
  if (typeof details.field !== 'string') return null
  const path = details.field.split('.')
  const found = schemaAt(schema, path)
  const parent = found ? null : schemaAt(schema, path.slice(0, -1))
  const takes = found
    ? `${details.field} takes ${describe(found)}.`
    : `${nameOf(path.slice(0, -1))} takes ${describe(parent ?? schema)}.`
  const example = exampleFor(tool, path[0] ?? '')
  return example === null ? takes : `${takes} Example: ${JSON.stringify(example)}`
}

function nameOf(path: string[]): string {
  return path.length === 0 ? 'The call' : path.join('.')
}

/** The schema of a field inside others; list positions are passed over. */
function schemaAt(schema: Schema, path: string[]): Schema | null {
  let at: Schema | undefined = schema
  for (const step of path) {
    const options: Schema[] = (at?.anyOf as Schema[] | undefined) ?? (at ? [at] : [])
    at = options.map((option) => inner(option, step)).find((found) => found !== undefined)
    if (!at) return null
  }
  return at
}

function inner({ properties, items }: Schema, step: string): Schema | undefined {
  if (items !== undefined) return /^\d+$/.test(step) ? (items as Schema) : undefined
  const fields = (properties ?? {}) as Record<string, Schema>
  return Object.hasOwn(fields, step) ? fields[step] : undefined
}

/** A schema in words, with every bound and every allowed value. */
export function describe(schema: Schema): string {
  const remark = typeof schema.description === 'string' ? ` (${schema.description.replace(/\.$/, '')})` : ''
  return `${shapeOf(schema)}${remark}`
}

function shapeOf(schema: Schema): string {
  if (Array.isArray(schema.anyOf)) return [...new Set((schema.anyOf as Schema[]).map(shapeOf))].join(' or ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => shapeOf({ ...schema, type })).join(' or ')
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.join(', ')}`
  if ('const' in schema) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'string':
      return `a string${lengthOf(schema)}${schema.pattern ? ` that matches ${schema.pattern}` : ''}`
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${rangeOf(schema)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${countOf(schema)}, each ${describe((schema.items ?? {}) as Schema)}`
    case 'object':
      return objectOf(schema)
    default:
      return typeof schema.type === 'string' ? schema.type : 'any value'
  }
}

function lengthOf({ minLength, maxLength }: Schema): string {
  if (maxLength === undefined) return ''
  return minLength ? ` of ${minLength} to ${maxLength} characters` : ` of up to ${maxLength} characters`
}

function countOf({ minItems, maxItems }: Schema): string {
  if (maxItems === undefined) return minItems ? ` of at least ${minItems}` : ''
  return minItems ? ` of ${minItems} to ${maxItems}` : ` of up to ${maxItems}`
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, ${minimum} or more`
  return maximum === undefined ? '' : `, ${maximum} or less`
}

function objectOf(schema: Schema): string {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties as object)
  if (names.length === 0) return schema.additionalProperties === false ? 'an object without fields' : 'an object'
  const needed = required as string[]
  return `an object of ${names.map((name) => (needed.includes(name) ? name : `${name}?`)).join(', ')}`
}

/** The declared example, cut down to what has to be there and the field in question. */
function exampleFor({ example, input }: Declaration, field: string): Record<string, unknown> | null {
  if (!example) return null
  const names = Object.keys(example)
  const needed = names.filter((name) => name === field || !input.safeParse({ ...example, [name]: undefined }).success)
  const short = Object.fromEntries(needed.map((name) => [name, example[name]]))
  return input.safeParse(short).success ? short : example
}
