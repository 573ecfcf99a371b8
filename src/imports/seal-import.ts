import type { Book } from '../books/book.ts'
import type { Manifest } from '../reading/manifest.ts'
import { decideHeldVersion, type HeldVersionStores } from '../writing/held-version.ts'
import { publishVersion } from '../writing/publish-version.ts'
import { replaceAbandonedVersion } from '../writing/replace-abandoned-version.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { WriteStores } from '../writing/store.ts'

type Stores = Clock & HeldVersionStores & BookStores & WriteStores

/**
 * Seals the result of an import as the next version of its book, after any writes that were published in the meantime;
 * returns the version number. If an earlier attempt of the same job sealed its version before it died, keeps that one,
 * because it has the same text.
 */
export async function sealImport(stores: Stores, book: Book, imported: Manifest): Promise<number> {
  const { ownerId, id } = book
  for (let version = imported.version; ; version++) {
    const manifest = { ...imported, version }
    if (await stores.contents.seal(manifest)) return version
    const sealed = await stores.contents.findSealedManifest(id, version)
    if (!sealed || sealed.jobId === imported.jobId) return version
    const { jobId } = sealed
    if (jobId === null) {
      if (await decideHeldVersion(stores, book, sealed)) await publishVersion(stores, book, sealed)
      // A dropped version leaves its number unused.
      else version--
      continue
    }
    // Another import of this book has ended: it has published its version, or never will.
    const [current] = await stores.books.findOwned(ownerId, [id])
    if (!current || current.version >= version) continue
    if (await replaceAbandonedVersion(stores, { ownerId, manifest, abandoned: { ...sealed, jobId } })) return version
  }
}
