import { BSON, type Document } from 'mongodb'
import { memoize } from '../runtime/memoize.ts'

/**
 * Decodes rows read with `raw`, with a cache by their bytes: an unchanged row yields the same frozen object, which
 * callers share and can use as a cache key.
 */
export function decodeCached<Row extends Document, Value extends object>(
  decode: (row: Row) => Value,
): (row: Uint8Array) => Value {
  const decodeMemoized = memoize((bytes) =>
    Object.freeze(decode(BSON.deserialize(Buffer.from(bytes, 'latin1')) as Row)),
  )
  return (row) => decodeMemoized(Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('latin1'))
}
