import type { Book } from '../books/book.ts'
import { isReadByStrangers, type PublicationStores } from '../books/publication.ts'
import { newId } from '../core/ids.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'

/** The stores that decide about a held version. */
export type HeldVersionStores = ContentStores & PublicationStores

interface HeldWrite {
  ownerId: string
  authorId: string
  /** The version whose text is restored. */
  restoredFrom: number | undefined
}

/**
 * The hold for a version that is written by another account than the owner, or that restores another version; empty
 * otherwise.
 */
export function holdFor({ ownerId, authorId, restoredFrom }: HeldWrite): Pick<Manifest, 'held'> {
  if (restoredFrom !== undefined) return { held: { id: newId(), restoredFrom } }
  return authorId === ownerId ? {} : { held: { id: newId() } }
}

/**
 * Decides whether a sealed version may be published: releases it, or drops it. Returns true if it may be published.
 * Call it after sealing and before publishing any version of a write. Because the version is sealed before the
 * conditions are read, a publication or removal that begins later finds it complete, and an earlier one prevents it.
 */
export async function decideHeldVersion(
  stores: HeldVersionStores,
  book: Pick<Book, 'id' | 'ownerId'>,
  manifest: Manifest,
): Promise<boolean> {
  const { itemId, version, held } = manifest
  if (!held || held.released) return true
  const allowed = await canPublish(stores, book, manifest)
  const key = { itemId, version, heldId: held.id }
  if (allowed ? await stores.contents.releaseHeld(key) : await stores.contents.dropHeld(key)) return allowed
  // Another call has decided; the store contains its decision.
  const decided = await stores.contents.findSealedManifest(itemId, version)
  return decided?.held?.id === held.id && decided.held.released === true
}

async function canPublish(
  stores: HeldVersionStores,
  book: Pick<Book, 'id' | 'ownerId'>,
  { itemId, createdBy, held }: Manifest,
): Promise<boolean> {
  const { restoredFrom } = held ?? {}
  if (restoredFrom !== undefined) {
    const source = await stores.contents.findSealedManifest(itemId, restoredFrom)
    if (!source || source.purgedAt !== undefined) return false
  }
  return createdBy === book.ownerId || !(await isReadByStrangers(stores, book))
}
