import { deserialize, EJSON, serialize } from 'bson'
import type { Doc, Value } from '../../../src/db/embedded/bson/values.ts'
import { CommandError } from '../../../src/db/embedded/errors/command-error.ts'

/** The options that keep every BSON type apart, for the driver and for `deserialize`. */
export const raw = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** A document as the embedded store holds it: through bytes, every type kept. */
export function typed(doc: object): Doc {
  return deserialize(serialize(doc), raw)
}

/** Any value as the embedded store holds it. */
export function typedValue(value: unknown): Value {
  return typed({ value })['value']
}

/** A list of documents as the embedded store holds them. */
export function typedDocs(docs: readonly object[]): Doc[] {
  return docs.map(typed)
}

/** A text that shows values with their types and field order. */
export function show(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false })
}

/** The result of a function, or the code of its refusal. */
export function outcome<T>(run: () => T): T | number {
  try {
    return run()
  } catch (error) {
    if (error instanceof CommandError) return error.code
    throw error
  }
}
