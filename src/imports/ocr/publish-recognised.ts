import { setTimeout as delay } from 'node:timers/promises'
import type { PlanServices } from '../../accounts/plans.ts'
import type { AccountStores } from '../../accounts/store.ts'
import type { Book } from '../../books/book.ts'
import type { PublicationStores } from '../../books/publication.ts'
import { planOfOwner, storageUse } from '../../books/storage-limit.ts'
import type { BookStores } from '../../books/store.ts'
import type { Clock } from '../../core/context.ts'
import type { ContentStores } from '../../reading/store.ts'
import { publishVersion } from '../../writing/publish-version.ts'
import { sealVersion } from '../../writing/seal-version.ts'
import type { WriteStores } from '../../writing/store.ts'
import type { JobStores } from '../store.ts'
import { spliceRecognised } from '../recognised-pages.ts'
import type { Recognition } from './recognition-store.ts'

export type PublishingStores = Clock &
  AccountStores &
  BookStores &
  ContentStores &
  JobStores &
  PlanServices &
  PublicationStores &
  WriteStores

/** The outcome for recognised pages; `busy`: an import is publishing a version of the book, so try again later. */
export type Publication = 'published' | 'busy' | 'full' | 'gone'

/** How many conflicts with other writers are retried before waiting for the next turn. */
const maxAttempts = 8

/**
 * Publishes the pending pages of a recognition as one version of their book. Idempotent: pages that a version already
 * has change nothing. `full` if the owner's plan has no room for them.
 */
export async function publishRecognised(
  stores: PublishingStores,
  { accountId, itemId, pending }: Pick<Recognition, 'accountId' | 'itemId' | 'pending'>,
): Promise<Publication> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [book] = await stores.books.findOwned(accountId, [itemId])
    if (!book) return 'gone'
    const base = await stores.contents.getManifest(itemId, book.version)
    if (!base) return 'gone'
    const manifest = await spliceRecognised(stores, base, { pending, at: stores.now(), createdBy: accountId })
    if (!manifest) return 'published'
    if (!(await hasRoom(stores, book, manifest.ownBytes))) return 'full'
    if (await sealVersion(stores, book, manifest)) {
      return (await publishVersion(stores, book, manifest)) ? 'published' : 'gone'
    }
    await delay(20 * attempt)
  }
  return 'busy'
}

async function hasRoom(stores: PublishingStores, { ownerId }: Book, bytes: number): Promise<boolean> {
  const plan = await planOfOwner(stores, ownerId)
  const use = plan && (await storageUse(stores, ownerId, plan))
  return !use || use.usedBytes + bytes <= use.limitBytes
}
