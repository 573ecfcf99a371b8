import type { AppError } from '../core/errors.ts'
import type { Declaration } from '../core/tool.ts'

type Schema = Record<string, unknown>

/** Describes the type of an invalid field and a valid example call; null for refusals that name no field. */
export function explainInput(tool: Declaration, schema: Schema, { details }: AppError): string | null {
  if (typeof details['field'] !== 'string') return null
  const path = details['field'].split('.')
  const found = schemaAt(schema, path)
  const parent = found ? null : schemaAt(schema, path.slice(0, -1))
  const expectation = found
    ? `${details['field']} takes ${describeSchema(found)}.`
    : `${describePath(path.slice(0, -1))} takes ${describeSchema(parent ?? schema)}.`
  const example = minimalExample(tool, path[0] ?? '')
  return example === null ? expectation : `${expectation} Example: ${JSON.stringify(example)}`
}

function describePath(path: string[]): string {
  return path.length === 0 ? 'The call' : path.join('.')
}

/** The schema at a path of field names and list indexes; null if there is none. */
function schemaAt(schema: Schema, path: string[]): Schema | null {
  let current: Schema | undefined = schema
  for (const key of path) {
    const options: Schema[] = (current?.['anyOf'] as Schema[] | undefined) ?? (current ? [current] : [])
    current = options.map((option) => childSchema(option, key)).find((found) => found !== undefined)
    if (!current) return null
  }
  return current
}

function childSchema({ properties, items }: Schema, key: string): Schema | undefined {
  if (items !== undefined) return /^\d+$/.test(key) ? (items as Schema) : undefined
  const fields = (properties ?? {}) as Record<string, Schema>
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** Describes a schema in words, with its bounds and allowed values. */
function describeSchema(schema: Schema): string {
  const remark = typeof schema['description'] === 'string' ? ` (${schema['description'].replace(/\.$/, '')})` : ''
  return `${describeType(schema)}${remark}`
}

function describeType(schema: Schema): string {
  if (Array.isArray(schema['anyOf'])) return [...new Set((schema['anyOf'] as Schema[]).map(describeType))].join(' or ')
  if (Array.isArray(schema['type'])) return schema['type'].map((type) => describeType({ ...schema, type })).join(' or ')
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].join(', ')}`
  if ('const' in schema) return JSON.stringify(schema['const'])
  switch (schema['type']) {
    case 'string':
      return `a string${describeLength(schema)}${schema['pattern'] ? ` that matches ${schema['pattern']}` : ''}`
    case 'integer':
    case 'number':
      return `${schema['type'] === 'integer' ? 'an integer' : 'a number'}${describeRange(schema)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${describeCount(schema)}, each ${describeSchema((schema['items'] ?? {}) as Schema)}`
    case 'object':
      return describeObject(schema)
    default:
      return typeof schema['type'] === 'string' ? schema['type'] : 'any value'
  }
}

function describeLength({ minLength, maxLength }: Schema): string {
  if (maxLength === undefined) return ''
  return minLength ? ` of ${minLength} to ${maxLength} characters` : ` of up to ${maxLength} characters`
}

function describeCount({ minItems, maxItems }: Schema): string {
  if (maxItems === undefined) return minItems ? ` of at least ${minItems}` : ''
  return minItems ? ` of ${minItems} to ${maxItems}` : ` of up to ${maxItems}`
}

function describeRange({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, ${minimum} or more`
  return maximum === undefined ? '' : `, ${maximum} or less`
}

function describeObject(schema: Schema): string {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties as object)
  if (names.length === 0) return schema['additionalProperties'] === false ? 'an object without fields' : 'an object'
  const needed = required as string[]
  return `an object of ${names.map((name) => (needed.includes(name) ? name : `${name}?`)).join(', ')}`
}

/** The declared example without the fields that a valid call with `field` does not need. */
function minimalExample({ example, input }: Declaration, field: string): Record<string, unknown> | null {
  if (!example) return null
  let minimal = example
  for (const name of Object.keys(example).toReversed()) {
    const { [name]: _, ...fewer } = minimal
    if (name !== field && input.safeParse(fewer).success) minimal = fewer
  }
  return minimal
}
