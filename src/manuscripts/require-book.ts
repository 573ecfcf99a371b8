import { AppError } from '../core/errors.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { ManuscriptStores } from './store.ts'

/** Throws ITEM_NOT_FOUND unless the book is one of the caller's. */
export async function requireOwnBook(ctx: Call & BookStores, itemId: string): Promise<void> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book) throw new AppError('ITEM_NOT_FOUND', 'Item not found or not yours')
}

/** Throws MANUSCRIPT_ITEM_CONFLICT if another manuscript that is not archived has the book. */
export async function requireFreeBook(
  ctx: Call & ManuscriptStores,
  itemId: string,
  manuscriptId: string,
): Promise<void> {
  const other = await ctx.manuscripts.unarchivedByBook(ctx.actor.id, itemId)
  if (other && other.id !== manuscriptId) throw itemTakenError(other.id)
}

/** The error for a book that already has a manuscript. */
export function itemTakenError(existingManuscriptId: string | null): AppError {
  const message = 'The item already has an active manuscript. Update that one, or archive it first.'
  return new AppError('MANUSCRIPT_ITEM_CONFLICT', message, { details: { existingManuscriptId } })
}
