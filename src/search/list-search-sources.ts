import { loadLockCheck } from '../books/book-locks.ts'
import { listGrantedBooks, ownAccess } from '../books/access.ts'
import { systemOwner } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/** Books of one owner that the caller may read in full. */
export interface SearchSource {
  ownerId: string
  /** Tells which of the owner's books they are; null: all of them. */
  includes: ((bookId: string) => boolean) | null
}

/**
 * The books that a search looks into: what the caller may read in full, and nothing else. Own, built-in,
 * subscribed and team books; locked ones and previews are left out.
 */
export async function listSearchSources(ctx: Call & BookAccessStores): Promise<SearchSource[]> {
  const { account, plan } = ctx.actor
  const own = { ownerId: account.id, includes: null }
  const builtIn = { ownerId: systemOwner, includes: null }
  if (account.id === systemOwner) return [builtIn]
  const [granted, isLocked] = await Promise.all([listGrantedBooks(ctx), loadLockCheck(ctx)])
  const readable = granted.filter((book) => book.access.previewPages === null && !isLocked(book))
  const others = [...Map.groupBy(readable, ({ ownerId }) => ownerId)].map(([ownerId, books]) => {
    const ids = new Set(books.map(({ id }) => id))
    return { ownerId, includes: (id: string) => ids.has(id) }
  })
  if (account.slots <= plan.itemLimit) return [own, builtIn, ...others]
  return [{ ...own, includes: (id) => !isLocked({ id, access: ownAccess }) }, builtIn, ...others]
}
