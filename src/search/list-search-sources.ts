import { lockedBooks } from '../books/book-locks.ts'
import { grantedBooks, ownAccess } from '../books/access.ts'
import { systemOwner } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/** Books of one owner that the caller may read in full. */
export interface Shelf {
  ownerId: string
  /** Tells which of the owner's books they are; null: all of them. */
  accepts: ((bookId: string) => boolean) | null
}

/**
 * The books that a search looks into: what the caller may read in full, and nothing else. Own, built-in,
 * subscribed and team books; locked ones and previews are left out.
 */
export async function searchableBooks(ctx: Call & BookAccessStores): Promise<Shelf[]> {
  const { account, plan } = ctx.actor
  const own = { ownerId: account.id, accepts: null }
  const builtIn = { ownerId: systemOwner, accepts: null }
  if (account.id === systemOwner) return [builtIn]
  const [granted, isLocked] = await Promise.all([grantedBooks(ctx), lockedBooks(ctx)])
  const open = granted.filter((book) => book.access.previewPages === null && !isLocked(book))
  const others = [...Map.groupBy(open, ({ ownerId }) => ownerId)].map(([ownerId, books]) => {
    const ids = new Set(books.map(({ id }) => id))
    return { ownerId, accepts: (id: string) => ids.has(id) }
  })
  if (account.slots <= plan.itemLimit) return [own, builtIn, ...others]
  return [{ ...own, accepts: (id) => !isLocked({ id, access: ownAccess }) }, builtIn, ...others]
}
