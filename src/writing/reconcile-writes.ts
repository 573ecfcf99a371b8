import type { StagedWrite, WriteStores } from './store.ts'
import { publishVersion } from './publish-version.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'

type Stores = Clock & WriteStores & BookStores & ContentStores

/** Longer than any write takes by far: the pages of one that is still under way must not be touched. */
const settleAfterMs = 60 * 60 * 1000

/** Finishes writes that a crash cut off: a sealed version is published, pages that belong to none are removed. */
export async function settleWrites(stores: Stores): Promise<void> {
  const { writes, now } = stores
  for (const write of await writes.left(new Date(now().getTime() - settleAfterMs))) {
    await settle(stores, write)
    await writes.end(write.itemId, write.revision)
  }
}

async function settle(stores: Stores, { ownerId, itemId, revision }: StagedWrite): Promise<void> {
  const { books, contents } = stores
  const [book] = await books.owned(ownerId, [itemId])
  if (!book) return contents.removeAll(itemId)
  const versions = await contents.versions(itemId)
  const first = versions.find(({ segments }) => segments.some((segment) => segment.revision === revision))
  if (!first) await contents.discard(itemId, revision)
  else if (first.jobId === null) await publishVersion(stores, book, first)
}
