import { listGrantedBooks, type BookAccessStores } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import type { Call } from '../core/context.ts'

/** A note for a search without results, if the library has books that the caller cannot read in full; empty if it has none. */
export async function noteOnUnsearched(ctx: Call & BookAccessStores): Promise<{ note?: string }> {
  const { account, plan } = ctx.actor
  const [granted, isLocked] = await Promise.all([listGrantedBooks(ctx), loadLockCheck(ctx)])
  const locked = Math.max(0, account.slots - plan.itemLimit)
  const previews = granted.filter((book) => book.access.previewPages !== null && !isLocked(book)).length
  const parts = [
    ...(previews > 0 ? [countOf(previews, 'preview')] : []),
    ...(locked > 0 ? [countOf(locked, 'locked book')] : []),
  ]
  if (parts.length === 0) return {}
  return { note: `Nothing was found in the books that can be read in full. Not searched: ${parts.join(' and ')}.` }
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
