import { z } from 'zod'
import { emptyIsValue } from '../core/empty-value.ts'
import { isObject } from '../core/is-object.ts'
import type { Declaration } from '../core/tool.ts'
import { perInput } from './per-input.ts'

/** How a tool reads one of its arguments, derived from its input schema. */
export interface Argument {
  field: z.ZodType
  optional: boolean
  /** What an empty string means: the argument is absent, the stored text is cleared, or it is a value. */
  whenEmpty: 'left out' | 'clears' | 'value'
}

/** The arguments of a tool, or the fields of a nested object; null if the schema is not an object. */
export function argumentsOf(schema: z.ZodType, tool: Pick<Declaration, 'idempotent'>): Map<string, Argument> | null {
  const object = unwrap(schema)
  if (!(object instanceof z.ZodObject)) return null
  const fields = Object.entries<z.ZodType>(object.shape)
  return new Map(fields.map(([name, field]) => [name, describe(field, tool)]))
}

function describe(field: z.ZodType, tool: Pick<Declaration, 'idempotent'>): Argument {
  return { field, optional: field.safeParse(undefined).success, whenEmpty: whenEmpty(field, tool) }
}

function whenEmpty(field: z.ZodType, { idempotent }: Pick<Declaration, 'idempotent'>): Argument['whenEmpty'] {
  if (emptyIsValue.has(unwrap(field))) return 'value'
  const empty = field.safeParse('')
  const storesEmpty = empty.success && typeof empty.data === 'string'
  // A tool with an idempotency key creates new objects, which have nothing to clear.
  return storesEmpty && !idempotent && field.safeParse(null).success ? 'clears' : 'left out'
}

/** The schema of the elements of a list; null if the schema is not a list. */
export function elementOf(schema: z.ZodType): z.ZodType | null {
  const list = unwrap(schema)
  return list instanceof z.ZodArray ? (list.element as z.ZodType) : null
}

/** True for an object whose fields are not declared. */
export function isOpenObject(schema: z.ZodType): boolean {
  const { type } = unwrap(schema).meta() ?? {}
  return type === 'object'
}

/** A schema without its optional, nullable and post-processing wrappers. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, in: input } = schema.def as { innerType?: z.ZodType; in?: z.ZodType }
  const inner = innerType ?? (schema instanceof z.ZodPipe ? input : undefined)
  // A type that is declared in words replaces its inner types.
  return inner === undefined || schema.meta()?.['type'] !== undefined ? schema : unwrap(inner)
}

/** Normalizes the arguments of a call to what the model meant. */
export type ReadArguments = (args: unknown) => unknown

/**
 * Removes placeholders that models send for omitted arguments: null, and an empty string if it has no meaning. An empty
 * string for a text that can be cleared becomes null, which clears it. Objects without declared fields may be sent as
 * JSON text.
 */
export function createArgumentReader(tool: Pick<Declaration, 'input' | 'idempotent'>): ReadArguments {
  return argumentReader(tool)
}

const argumentReader = perInput((tool: Pick<Declaration, 'input' | 'idempotent'>): ReadArguments => {
  const read = readerOf(tool.input, tool) ?? ((args: unknown) => args)
  if (!tool.idempotent) return read
  return (args) => {
    const given = read(args)
    if (!isObject(given) || (given['idempotencyKey'] !== null && given['idempotencyKey'] !== '')) return given
    const { idempotencyKey: _, ...rest } = given
    return rest
  }
})

/** The reader for values of a schema; null if they need no change. */
function readerOf(schema: z.ZodType, tool: Pick<Declaration, 'idempotent'>): ReadArguments | null {
  if (isOpenObject(schema)) return parseObjectText
  const element = elementOf(schema)
  if (element) {
    const readElement = readerOf(element, tool)
    return readElement && ((value) => (Array.isArray(value) ? value.map(readElement) : value))
  }
  const fields = argumentsOf(schema, tool)
  if (!fields) return null
  const readers = new Map([...fields].map(([name, { field }]) => [name, readerOf(field, tool)]))
  return (value) => {
    if (!isObject(value)) return value
    const entries = Object.entries(value).flatMap(([name, given]): [string, unknown][] => {
      const argument = fields.get(name)
      if (!argument?.optional) return [[name, readers.get(name)?.(given) ?? given]]
      if (given === '' && argument.whenEmpty === 'clears') return [[name, null]]
      if (given === null || (given === '' && argument.whenEmpty === 'left out')) return []
      return [[name, readers.get(name)?.(given) ?? given]]
    })
    return Object.fromEntries(entries)
  }
}

/** Parses a text that is a JSON object; returns other values unchanged. */
function parseObjectText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    const parsed: unknown = JSON.parse(value)
    return isObject(parsed) ? parsed : value
  } catch {
    return value
  }
}
