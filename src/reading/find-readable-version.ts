import type { AccessibleBook } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import type { Manifest } from './manifest.ts'
import type { ContentStores } from './store.ts'
import { unfinishedManifest } from './unfinished-manifest.ts'

/**
 * A version of a book, by default the current one. `removed` if its owner has removed it. Null if the book never had
 * it, has no text yet, or became accessible to the caller later. The readable part of an unfinished book is version 0.
 * A preview has only the current version, because pages may have been beyond the preview in an earlier one. Earlier
 * versions are read from the store each time, because any process may have removed them.
 */
export async function findReadableVersion(
  ctx: ContentStores,
  book: AccessibleBook,
  version = book.version,
): Promise<Manifest | 'removed' | null> {
  if (book.version === 0 && version === 0) return unfinishedManifest(book)
  // An unpublished version may already be stored.
  if (version < 1 || version > book.version) return null
  if (version === book.version) return ctx.contents.getManifest(book.id, version)
  if (book.access.previewPages !== null || version < (await firstReadableVersion(ctx, book))) return null
  const manifest = await ctx.contents.findSealedManifest(book.id, version)
  return manifest?.purgedAt === undefined ? manifest : 'removed'
}

/**
 * The first version that the caller may read: 1 if all versions are visible to them, otherwise the one that was current
 * when the book became accessible to them. In rows from before that was recorded, it is the last version written before
 * the row was created.
 */
export async function firstReadableVersion(
  { contents }: ContentStores,
  { id, access }: Pick<AccessibleBook, 'id' | 'access'>,
): Promise<number> {
  if (access.reached === null) return 1
  const versions = access.reached.map(async ({ at, sinceVersion }) => sinceVersion ?? contents.versionAt(id, at))
  return Math.max(1, Math.min(...(await Promise.all(versions))))
}

/** The message about a version that its owner has removed. */
export const versionRemovedMessage = 'This version was removed by the owner.'

/** The refusal (NOT_FOUND) of a removed version. */
export function versionRemovedError(): AppError {
  return new AppError('NOT_FOUND', versionRemovedMessage)
}

/** The message about a version that the book does not have, or not for the caller. */
export async function versionNotFoundMessage(ctx: ContentStores, book: AccessibleBook): Promise<string> {
  const first = await firstReadableVersion(ctx, book)
  const whose = first === 1 ? 'This book has' : 'Of this book you may read'
  const range = first === book.version ? `only version ${first}` : `the versions ${first} to ${book.version}`
  return `Version not found. ${whose} ${range}.`
}

/** The last page of a version that the caller may read. */
export function lastReadablePageOf({ access }: AccessibleBook, { pageCount }: Manifest): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}
