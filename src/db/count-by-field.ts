import type { Collection, Document, Filter } from 'mongodb'

export interface FieldCount<Row extends Document> {
  field: keyof Row & string
  values: readonly string[]
  /** Restricts the rows that are counted. */
  also?: Filter<Row>
}

/** Counts the rows for each of the given values of a field, in one query. Values without rows are omitted. */
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
