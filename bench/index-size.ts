import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { calculateObjectSize } from 'bson'
import type { Db } from 'mongodb'
import type { Services } from '../src/app/context.ts'
import { createLog } from '../src/app/log.ts'
import { refreshStaleIndex } from '../src/search/index/refresh-stale-index.ts'

const collections = ['search_books', 'search_pages', 'search_libraries', 'search_segments', 'search_words']
/** After this time no reader uses replaced parts any more, ms. */
const laterMs = 2 * 60 * 60 * 1000

/** Removes the parts of the index that merges have replaced. The service does it a minute after a merge or later. */
export async function removeReplacedParts(services: Services, db: Db): Promise<void> {
  const now = () => new Date(services.now().getTime() + laterMs)
  const works = db.collection('search_work')
  while ((await works.countDocuments({})) > 0) await refreshStaleIndex({ ...services, now, log: createLog('silent') })
}

/** The size of the search index as BSON, including the keys of its rows, bytes. */
export async function indexBytes(db: Db): Promise<number> {
  let bytes = 0
  for (const name of collections) {
    for await (const row of db.collection(name).find()) {
      bytes += calculateObjectSize(row) + String(row._id).length + 10
    }
  }
  return bytes
}

/** The size of the search index in the file of a closed embedded store, bytes: all pages of its tables, with what is unused in them. */
export function indexDiskBytes(dataDirectory: string): number {
  const db = new DatabaseSync(join(dataDirectory, 'store', 'store.db'), { readOnly: true })
  try {
    const ids = db.prepare(`SELECT id FROM collections WHERE name IN (${collections.map(() => '?').join(', ')})`)
    const sizeOf = db.prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (?, ?)`)
    const sizes = ids.all(...collections).map(({ id }) => sizeOf.get(`c${id}`, `sqlite_autoindex_c${id}_1`))
    return sizes.reduce((sum, size) => sum + Number(size?.['bytes'] ?? 0), 0)
  } finally {
    db.close()
  }
}
