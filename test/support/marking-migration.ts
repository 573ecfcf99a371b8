import type { Db } from 'mongodb'
import type { Migration } from '../../src/db/migrate.ts'

/** A migration that marks the unmarked documents of a collection. */
export function markingMigration(db: Db, collection: string, { neededBy }: { neededBy?: number }): Migration<unknown> {
  const rows = db.collection<{ _id: string; marked?: true }>(collection)
  const unmarked = { marked: { $exists: false } }
  return {
    name: `mark-${collection}`,
    summary: `Marks ${collection}`,
    ...(neededBy === undefined ? {} : { neededBy }),
    count: () => rows.countDocuments(unmarked),
    async run(_, limit) {
      let changed = 0
      for (const { _id } of await rows.find(unmarked).limit(limit).toArray())
        changed += (await rows.updateOne({ _id, ...unmarked }, { $set: { marked: true } })).modifiedCount
      return changed
    },
  }
}
