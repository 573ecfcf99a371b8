import type { Collection, Document, Filter } from 'mongodb'

export interface FieldCount<Row extends Document> {
  field: keyof Row & string
  values: readonly string[]
  /** Narrows the rows that are counted. */
  also?: Filter<Row>
}

/** How many rows have each of the values in a field, in one read; a value that no row has is left out. */
export async function countByField<Row extends Document>(
  rows: Collection<Row>,
  { field, values, also = {} }: FieldCount<Row>,
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map()
  const counts = rows.aggregate<{ _id: string; count: number }>([
    { $match: { [field]: { $in: [...values] }, ...also } },
    { $group: { _id: `$${field}`, count: { $sum: 1 } } },
  ])
  return new Map((await counts.toArray()).map(({ _id, count }) => [_id, count]))
}
