import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import type { BookLocks } from '../books/book-locks.ts'
import { systemOwner } from '../books/book.ts'
import type { LibraryCounts } from '../books/library-store.ts'
import type { Call } from '../core/context.ts'
import { countBooksByShelf } from '../shelves/count-books-by-shelf.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { Shelf } from '../shelves/store.ts'
import { isAttentionNeeded, type libraryViews } from './library-filter.ts'
import { withOwnAccess } from '../books/access.ts'

/** The number of books for each filter of a library. */
export interface LibraryFacets extends Record<(typeof libraryViews)[number], number> {
  /** In display order. */
  shelves: { id: string; slug: string; name: string; color: string | null; count: number }[]
}

/** Upper bound for counting `importing`. */
const maxImportingCounted = 1000

/** Counts the books of each filter, from maintained sums. */
export async function countLibrary(
  ctx: Call & BookAccessStores & PlacementStores,
  { granted, locks, shelves }: { granted: readonly AccessibleBook[]; locks: BookLocks; shelves: readonly Shelf[] },
): Promise<LibraryFacets> {
  const [{ own, builtIn }, countsByShelf, importing] = await Promise.all([
    ctx.books.libraryCounts(ctx.actor.id),
    shelves.length > 0 ? countBooksByShelf(ctx) : new Map<string, number>(),
    ctx.books.countImporting(ctx.actor.id, maxImportingCounted),
  ])
  return {
    all: own.books + (ctx.actor.id === systemOwner ? 0 : builtIn.books) + granted.length,
    shared: granted.filter(({ access }) => access.teamAccess !== null).length,
    marketplace: granted.filter(({ access }) => access.subscribedAt !== null).length,
    attention: await countNeedingAttention(ctx, { own, granted, locks }),
    importing,
    shelves: shelves.map(({ id, slug, name, color }) => ({ id, slug, name, color, count: countsByShelf.get(id) ?? 0 })),
  }
}

/** The number of books that are locked or need attention: all except usable ones in good health. */
async function countNeedingAttention(
  ctx: Call & BookAccessStores,
  { own, granted, locks }: { own: LibraryCounts; granted: readonly AccessibleBook[]; locks: BookLocks },
): Promise<number> {
  if (locks.usableIds === null) return own.needAttention
  const usable = await ctx.books.findOwned(ctx.actor.id, locks.usableIds)
  const fine = usable.filter((book) => !isAttentionNeeded(withOwnAccess(ctx, book), locks))
  return own.books - fine.length + granted.filter((book) => isAttentionNeeded(book, locks)).length
}
