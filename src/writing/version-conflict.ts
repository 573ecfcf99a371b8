import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { Book } from '../books/book.ts'
import { AppError } from '../core/errors.ts'
import { changedPages } from '../reading/changed-pages.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { AccountStores } from '../accounts/store.ts'

/**
 * The refusal (VERSION_CONFLICT) of a write based on an outdated version; `details` says what has changed since, when
 * and by whom.
 */
export async function versionConflict(
  ctx: Call & ContentStores & AccountStores,
  { id, version, contentUpdatedAt }: Book,
  expectedVersion: number,
): Promise<AppError> {
  const [current, expected] = await Promise.all([
    ctx.contents.getManifest(id, version),
    expectedVersion < version ? ctx.contents.getManifest(id, expectedVersion) : null,
  ])
  const author = current?.createdBy ?? ctx.actor.id
  const nameOf = await loadAccountNames(ctx, [author])
  const message = `The book is at version ${version}, not ${expectedVersion}. Read it again and redo the edit with that version.`
  return new AppError('VERSION_CONFLICT', message, {
    details: {
      currentVersion: version,
      expectedVersion,
      changedPages: expected && current ? changedPages(expected, current) : allPageNumbers(current?.pageCount ?? 0),
      updatedAt: contentUpdatedAt.toISOString(),
      updatedBy: nameOf(author),
    },
  })
}

/** All page numbers: with an unknown expected version, all pages count as changed. */
function allPageNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
