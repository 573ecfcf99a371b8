import type { AccountStores } from '../accounts/store.ts'
import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { Call } from '../core/context.ts'
import { listReadableManuscripts } from '../manuscripts/find-manuscript.ts'
import type { Manuscript, ManuscriptStores } from '../manuscripts/store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { MemberStores } from '../teams/member-store.ts'
import { listLatestVersions } from '../writing/list-latest-versions.ts'
import type { VersionEntry } from '../writing/version-entry.ts'

/** A manuscript with its book, as a library shows it. */
export interface ManuscriptBook {
  manuscript: Manuscript
  /** Null: the book is deleted. */
  book: AccessibleBook | null
  /** The current version of the book; null if it has none. */
  latest: VersionEntry | null
  /** The author's name; null for the caller's own. */
  author: string | null
}

export interface ManuscriptBooks {
  rows: ManuscriptBook[]
  /** The number of manuscripts before the next part; null: this is the last one. */
  next: number | null
}

/**
 * A part of the caller's manuscripts and of those of their teams whose books they may read: unarchived ones first, then the
 * newest. `from` is the number of manuscripts to skip.
 */
export async function listManuscriptBooks(
  ctx: Call & AccountStores & BookAccessStores & ContentStores & ManuscriptStores & MemberStores,
  { from, limit }: { from: number; limit: number },
): Promise<ManuscriptBooks> {
  const manuscripts = await listReadableManuscripts(ctx)
  const books = await findAccessibleBooks(ctx, [...new Set(manuscripts.map(({ itemId }) => itemId))])
  const bookOf = new Map(books.map((book) => [book.id, book]))
  const isOwn = ({ accountId }: Manuscript) => accountId === ctx.actor.id
  const visible = manuscripts.filter((manuscript) => isOwn(manuscript) || bookOf.has(manuscript.itemId))
  const sorted = [false, true].flatMap((archived) =>
    visible.filter(({ status }) => (status === 'ARCHIVED') === archived),
  )
  const shown = sorted.slice(from, from + limit)
  const nameOf = await loadAccountNames(
    ctx,
    shown.map(({ accountId }) => accountId),
  )
  const rows = shown.map(async (manuscript): Promise<ManuscriptBook> => {
    const book = bookOf.get(manuscript.itemId) ?? null
    const [latest = null] = book === null ? [] : await listLatestVersions(ctx, book, 1)
    return { manuscript, book, latest, author: isOwn(manuscript) ? null : nameOf(manuscript.accountId) }
  })
  return { rows: await Promise.all(rows), next: from + limit < sorted.length ? from + limit : null }
}
