import type { Services } from '../core/context.ts'
import { archiveManuscriptOf } from '../manuscripts/archive-manuscript.ts'
import { removeListingOf } from '../marketplace/remove-listing.ts'
import { forgetBook } from '../search/forget-book.ts'

export type RemovalStores = Pick<
  Services,
  | 'accounts'
  | 'books'
  | 'contents'
  | 'files'
  | 'gaps'
  | 'jobs'
  | 'lastReads'
  | 'uploads'
  | 'placements'
  | 'shares'
  | 'manuscripts'
  | 'manuscriptSlots'
  | 'listings'
  | 'subscriptions'
  | 'subscriptionSlots'
  | 'shares'
  | 'notifications'
  | 'search'
  | 'now'
>

/**
 * Removes an owned book with everything that hangs on it and gives its slot back; its manuscript is kept, archived.
 * Repeats finish what a crash left; false when a stored file could not be removed: the rows are gone anyway, and the slot stays until the sweep has
 * removed the file.
 */
export async function removeBook(stores: RemovalStores, accountId: string, itemId: string): Promise<boolean> {
  const { accounts, books, contents, gaps, jobs, lastReads, placements, uploads } = stores
  const [book] = await books.byIds([itemId])
  if (book && book.ownerId !== accountId) throw new Error(`Book ${itemId} is not one of ${accountId}`)
  await books.remove(accountId, itemId)
  await removeListingOf(stores, accountId, itemId)
  await jobs.removeOf(itemId)
  await uploads.remove(itemId)
  await placements.removeBook(itemId)
  await stores.shares.removeBook(itemId)
  await archiveManuscriptOf(stores, accountId, itemId)
  await contents.removeAll(itemId)
  await forgetBook(stores, accountId, itemId)
  await lastReads.removeOf(itemId)
  await gaps.removeBook(itemId)
  const removed = await removeFiles(stores, itemId)
  if (removed) await accounts.returnSlot(accountId, itemId)
  return removed
}

/** Where a book's file waits until it is confirmed, and where it is kept. */
export const fileFolders = { incoming: 'incoming', originals: 'originals' } as const

async function removeFiles({ files }: RemovalStores, itemId: string): Promise<boolean> {
  try {
    for (const folder of Object.values(fileFolders)) {
      for await (const { key } of files.list(`${folder}/${itemId}/`)) await files.delete(key)
    }
    return true
  } catch {
    return false
  }
}
