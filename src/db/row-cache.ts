import { BSON, type Document } from 'mongodb'
import { memoize } from '../runtime/memoize.ts'

/**
 * Makes objects of rows that were read with `raw`. A row that has not changed since it was read last, to the byte, is the
 * very same object again: frozen, shared by its readers, and a key for what was worked out of it.
 */
export function decodeCached<Row extends Document, Value extends object>(
  decode: (row: Row) => Value,
): (row: Uint8Array) => Value {
  const decodeMemoized = memoize((bytes) =>
    Object.freeze(decode(BSON.deserialize(Buffer.from(bytes, 'latin1')) as Row)),
  )
  return (row) => decodeMemoized(Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('latin1'))
}
