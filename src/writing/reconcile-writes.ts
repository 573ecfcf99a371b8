import type { StagedWrite, WriteStores } from './store.ts'
import { decideHeldVersion, type HeldVersionStores } from './held-version.ts'
import { completePurge } from './complete-purge.ts'
import { publishVersion } from './publish-version.ts'
import type { Clock } from '../core/context.ts'
import { isBookKept } from '../books/bin.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'

type Stores = Clock & WriteStores & BookStores & BinStores & HeldVersionStores

/** Much longer than any write takes, so that the pages of a running write are never touched. */
const reconcileAfterMs = 60 * 60 * 1000
const completePurgeAfterMs = 5 * 60 * 1000

/**
 * Completes writes and removals interrupted by a crash: publishes a sealed version, removes pages without a version,
 * and removes the text of versions that are marked as removed.
 */
export async function reconcileWrites(stores: Stores): Promise<void> {
  const { writes, contents, now } = stores
  for (const write of await writes.listAbandoned(new Date(now().getTime() - reconcileAfterMs))) {
    await reconcileWrite(stores, write)
    await writes.end(write.itemId, write.revision)
  }
  for (const purge of await contents.listDuePurges(new Date(now().getTime() - completePurgeAfterMs))) {
    await completePurge(stores, purge)
  }
}

async function reconcileWrite(stores: Stores, { ownerId, itemId, revision }: StagedWrite): Promise<void> {
  const { books, contents } = stores
  const [book] = await books.findOwned(ownerId, [itemId])
  if (!book && !(await isBookKept(stores, { id: itemId }))) return contents.removeBook(itemId)
  const versions = await contents.listVersions(itemId)
  const holder = versions.find(({ runs }) => runs.some((segment) => segment.revision === revision))
  if (holder && holder.jobId !== null) return
  // The book is in the bin: if it returns, the next write publishes the version.
  if (holder && !book) return
  if (book && holder && (await decideHeldVersion(stores, book, holder))) await publishVersion(stores, book, holder)
  else await contents.discardPages(itemId, revision)
}
