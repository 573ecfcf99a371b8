import { AppError } from '../core/errors.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { ManuscriptStores } from './store.ts'

/** Refuses a book that is not the caller's own with ITEM_NOT_FOUND. */
export async function requireOwnBook(ctx: Call & BookStores, itemId: string): Promise<void> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book) throw new AppError('ITEM_NOT_FOUND', 'Item not found or not yours')
}

/** Refuses a book that another manuscript has, unless that is archived, with MANUSCRIPT_ITEM_CONFLICT. */
export async function requireFreeBook(
  ctx: Call & ManuscriptStores,
  itemId: string,
  manuscriptId: string,
): Promise<void> {
  const other = await ctx.manuscripts.unarchivedByBook(ctx.actor.id, itemId)
  if (other && other.id !== manuscriptId) throw itemTakenError(other.id)
}

/** The refusal of a book that a manuscript has already. */
export function itemTakenError(existingManuscriptId: string | null): AppError {
  const message = 'The item already has an active manuscript. Update that one, or archive it first.'
  return new AppError('MANUSCRIPT_ITEM_CONFLICT', message, { details: { existingManuscriptId } })
}
