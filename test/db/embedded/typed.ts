import { deserialize, EJSON, serialize } from 'bson'
import type { Doc, Value } from '../../../src/db/embedded/bson/values.ts'
import { CommandError } from '../../../src/db/embedded/errors/command-error.ts'

/** Options for the driver and for `deserialize` that preserve all BSON types. */
export const raw = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** Converts a document to the form in the embedded store, by encoding and decoding it. All types are preserved. */
export function typed(doc: object): Doc {
  return deserialize(serialize(doc), raw)
}

/** Converts a value to the form in the embedded store. */
export function typedValue(value: unknown): Value {
  return typed({ value })['value']
}

/** Converts documents to the form in the embedded store. */
export function typedDocs(docs: readonly object[]): Doc[] {
  return docs.map(typed)
}

/** Formats values with their types and field order. */
export function show(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false })
}

/** Returns the result of a function, or the code of its refusal. */
export function outcome<T>(run: () => T): T | number {
  try {
    return run()
  } catch (error) {
    if (error instanceof CommandError) return error.code
    throw error
  }
}
