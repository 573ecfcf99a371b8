import { lockedBooks } from '../books/lock-books.ts'
import { systemOwner } from '../books/store.ts'
import type { Context } from '../context.ts'

/** Books of one owner that the caller may read in full. */
export interface Shelf {
  ownerId: string
  /** Tells which of the owner's books they are; null: all of them. */
  accepts: ((bookId: string) => boolean) | null
}

/**
 * The books that a search looks into: what the caller may read in full, and nothing else. Own and built-in books; locked
 * ones are left out.
 */
export async function searchableBooks(ctx: Context): Promise<Shelf[]> {
  const { account, plan } = ctx.actor
  const own = { ownerId: account.id, accepts: null }
  const builtIn = { ownerId: systemOwner, accepts: null }
  if (account.id === systemOwner) return [builtIn]
  if (account.slots <= plan.itemLimit) return [own, builtIn]
  const isLocked = await lockedBooks(ctx)
  return [{ ...own, accepts: (id) => !isLocked({ id, ownerId: account.id }) }, builtIn]
}
