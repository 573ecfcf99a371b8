import { textHealth } from '../books/text-health.ts'
import type { BookChange, BookStores } from '../books/store.ts'
import type { Book } from '../books/book.ts'
import type { Manifest } from '../reading/manifest.ts'

/**
 * Makes a sealed version the current one, unless a later one is current. Any process may call it, so a writer that
 * crashed between sealing and publishing blocks nobody. Null if the book no longer exists.
 */
export async function publishVersion({ books }: BookStores, book: Book, manifest: Manifest): Promise<Book | null> {
  let current: Book | undefined = book
  while (current && current.version < manifest.version) {
    const set = publishedFields(current, manifest)
    const { ownerId, id, version }: Book = current
    const addStoredBytes = current.storedBytes === undefined ? undefined : (manifest.ownBytes ?? 0)
    if (await books.change(ownerId, id, { version, set, addStoredBytes })) return { ...current, ...set }
    ;[current] = await books.findOwned(ownerId, [id])
  }
  return current ?? null
}

function publishedFields(book: Book, manifest: Manifest): BookChange['set'] {
  const { version, pageCount, words, reason, createdAt, createdBy, jobId } = manifest
  // A change of some pages does not resolve other health problems.
  const reassessHealth = words === 0 || book.health === 'empty' || reason === 'replace'
  return {
    version,
    pageCount,
    ...(reassessHealth ? textHealth(words) : {}),
    contentUpdatedAt: createdAt,
    updatedAt: createdAt,
    ...(jobId === null && createdBy !== book.ownerId ? { teamWritten: true } : {}),
  }
}
