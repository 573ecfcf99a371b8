import type { Collection, Document, Filter } from 'mongodb'

/** Rows in one removal. */
const batchSize = 1000

/**
 * Finds rows, and returns a function that removes exactly these: rows that are added later stay, also under the same
 * id. `stamp` is a field that is never changed and differs between a row and its successor under the same id; omit it
 * if ids are not used again.
 */
export async function planRemoval<Row extends Document & { _id: string }>(
  rows: Collection<Row>,
  filter: Filter<Row>,
  stamp?: keyof Row & string,
): Promise<() => Promise<void>> {
  const projection = { [stamp ?? '_id']: 1 }
  const found = await rows.find(filter, { projection }).toArray()
  return async () => {
    for (let from = 0; from < found.length; from += batchSize) {
      const batch = found.slice(from, from + batchSize)
      await rows.deleteMany({ ...filter, ...isOneOf(batch, '_id'), ...(stamp ? isOneOf(batch, stamp) : {}) })
    }
  }
}

/** The filter for rows that have the field of one of these. A missing field counts as one, too. */
export function isOneOf(rows: readonly Document[], field: string): { [field: string]: { $in: unknown[] } } {
  return { [field]: { $in: rows.map((row) => row[field] ?? null) } }
}
