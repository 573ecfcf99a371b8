import type { Book } from '../books/book.ts'
import { outlineBytes } from '../books/outline-bytes.ts'
import type { BookStores } from '../books/store.ts'
import type { Manifest } from './manifest.ts'
import type { ContentStores } from './store.ts'

/**
 * The bytes that only this version stores: `newText` bytes of pages, and its table of contents unless it is that of
 * `base`.
 */
export function ownBytesOf(
  { toc }: Pick<Manifest, 'toc'>,
  newText: number,
  base: Pick<Manifest, 'toc'> | null,
): number {
  const sameToc = base !== null && JSON.stringify(base.toc) === JSON.stringify(toc)
  return newText + (sameToc ? 0 : outlineBytes(toc))
}

/**
 * The stored bytes of each book, in the same order, according to its rows: the original file, every published version,
 * the owner's table of contents.
 */
export async function sumStoredBytes({ contents }: ContentStores, books: readonly Book[]): Promise<number[]> {
  const versions = await contents.sumOwnBytes(books)
  const sums: number[] = []
  for (const { id, original, tocId } of books) {
    const ownToc = tocId === null ? 0 : outlineBytes(await contents.getOutline(tocId))
    sums.push((original?.bytes ?? 0) + (versions.get(id) ?? 0) + ownToc)
  }
  return sums
}

/**
 * Recalculates the stored bytes of a book: after versions were removed, or if they were never counted. If a version is
 * published concurrently, the count stays unchanged. Returns whether the count has changed.
 */
export async function recountStoredBytes(
  stores: BookStores & ContentStores,
  book: Pick<Book, 'ownerId' | 'id'>,
): Promise<boolean> {
  const [current] = await stores.books.findOwned(book.ownerId, [book.id])
  // A reservation counts with the declared size until its file arrives.
  if (!current || (current.status === 'DRAFT' && current.storedBytes !== undefined)) return false
  const { ownerId, id, version } = current
  const [storedBytes = 0] = await sumStoredBytes(stores, [current])
  return storedBytes !== current.storedBytes && stores.books.change(ownerId, id, { version, set: { storedBytes } })
}
