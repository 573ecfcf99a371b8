import { loadLockCheck } from '../books/book-locks.ts'
import { listGrantedBooks, ownAccess, type AccessibleBook } from '../books/access.ts'
import { systemOwner } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/** The books of one owner that a search covers. */
export interface SearchSource {
  ownerId: string
  /** Selects among the owner's books; null: all of them. */
  includes: ((bookId: string) => boolean) | null
  /** The books of another account, with the caller's access to them; null for own and built-in books. */
  granted: readonly AccessibleBook[] | null
}

/**
 * Lists the books that a search covers: only those that the caller may read in full (owned, built-in, subscribed and team books). Excludes
 * locked books and previews.
 */
export async function listSearchSources(ctx: Call & BookAccessStores): Promise<SearchSource[]> {
  const { account, plan } = ctx.actor
  const own = { ownerId: account.id, includes: null, granted: null }
  const builtIn = { ownerId: systemOwner, includes: null, granted: null }
  if (account.id === systemOwner) return [builtIn]
  const [granted, isLocked] = await Promise.all([listGrantedBooks(ctx), loadLockCheck(ctx)])
  const readable = granted.filter((book) => book.access.previewPages === null && !isLocked(book))
  const others = [...Map.groupBy(readable, ({ ownerId }) => ownerId)].map(([ownerId, books]) => {
    const ids = new Set(books.map(({ id }) => id))
    return { ownerId, includes: (id: string) => ids.has(id), granted: books }
  })
  if (account.slots <= plan.itemLimit) return [own, builtIn, ...others]
  return [{ ...own, includes: (id) => !isLocked({ id, access: ownAccess }) }, builtIn, ...others]
}
