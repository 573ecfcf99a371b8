import type { Book } from '../books/book.ts'
import type { Manifest } from '../reading/manifest.ts'
import { publishVersion } from '../writing/publish-version.ts'
import { replaceLeftover } from '../writing/replace-abandoned-version.ts'
import type { Clock } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { BookStores } from '../books/store.ts'
import type { WriteStores } from '../writing/store.ts'

type Stores = Clock & ContentStores & BookStores & WriteStores

/**
 * Seals what an import has made as the next version of its book, on top of writes that came in the meantime; returns the
 * number of that version. What an earlier attempt has sealed before it died stays: it holds the same text.
 */
export async function sealImport(stores: Stores, book: Book, made: Manifest): Promise<number> {
  const { ownerId, id } = book
  for (let version = made.version; ; version++) {
    const manifest = { ...made, version }
    if (await stores.contents.seal(manifest)) return version
    const other = await stores.contents.sealed(id, version)
    if (!other || other.jobId === made.jobId) return version
    const { jobId } = other
    if (jobId === null) {
      await publishVersion(stores, book, other)
      continue
    }
    // Another import of this book that ended: either it has published its version, or it never will.
    const [current] = await stores.books.owned(ownerId, [id])
    if (!current || current.version >= version) continue
    if (await replaceLeftover(stores, { ownerId, manifest, leftover: { ...other, jobId } })) return version
  }
}
