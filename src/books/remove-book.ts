import type { Clock } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { Book } from './book.ts'
import type { BookStores } from './store.ts'
import type { BookEventServices } from './events.ts'
import type { FileStores } from '../files/store.ts'

export type RemovalStores = Clock & AccountStores & BookStores & BookEventServices & FileStores

/**
 * Removes an owned book, everything that belongs to it, and its files; releases its slot, whose pending change is
 * `slotChangeId` (null: it has none), and archives its manuscript. Idempotent: a repeat completes what a crash
 * interrupted. Returns false if a file could not be removed: the rows are removed anyway, and the slot stays taken until
 * the sweep has removed the file.
 */
export async function removeBook(
  stores: RemovalStores,
  { ownerId, id }: Pick<Book, 'ownerId' | 'id'>,
  slotChangeId: string | null,
): Promise<boolean> {
  const { accounts, books, bookEvents } = stores
  const [book] = await books.byIds([id])
  if (book && book.ownerId !== ownerId) throw new Error(`Book ${id} is not one of ${ownerId}`)
  await books.remove(ownerId, id)
  await bookEvents.removed({ id, ownerId })
  const filesRemoved = await removeFiles(stores, id)
  if (filesRemoved && slotChangeId !== null) await accounts.releaseSlot(ownerId, { id: slotChangeId, itemId: id })
  return filesRemoved
}

/**
 * Folders of files: `incoming` before an upload is confirmed, `originals` after that, `pictures` of drawn pages,
 * `figures` from their text, `covers` that were uploaded.
 */
export const fileFolders = {
  incoming: 'incoming',
  originals: 'originals',
  pictures: 'pictures',
  figures: 'figures',
  covers: 'covers',
} as const

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
