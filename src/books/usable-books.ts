import type { NoInput } from '../accounts/schema.ts'
import { AppError } from '../core/errors.ts'
import type { PickUsableBooks, UsableBooks } from './enrich-schema.ts'
import { listLibraryBooks } from './access.ts'
import { listOldestIds, filterSlotBooks, listUsableIds } from './book-locks.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from './access.ts'
import type { AccountStores } from '../accounts/store.ts'

/** The books that stay usable within the plan's item limit: the picked ones, otherwise the oldest. */
export async function getUsableBooks(ctx: Call & BookAccessStores, _: NoInput): Promise<UsableBooks> {
  return { ids: await listUsableIds(ctx), limit: ctx.actor.plan.itemLimit }
}

/** The books that take a slot, sorted by title, with whether each is usable now. */
export async function listSelectableBooks(
  ctx: Call & BookAccessStores,
): Promise<{ limit: number; books: { id: string; title: string; author: string | null; usable: boolean }[] }> {
  const { plan } = ctx.actor
  const [library, usable] = await Promise.all([listLibraryBooks(ctx), listUsableIds(ctx).then((ids) => new Set(ids))])
  const books = library
    .filter(({ access }) => access.kind === 'own' || access.subscribedAt)
    .map((book) => ({ id: book.id, title: book.title, author: book.author, usable: usable.has(book.id) }))
    .sort((a, b) => a.title.localeCompare(b.title))
  return { limit: plan.itemLimit, books }
}

/**
 * Picks the books that stay usable; an empty pick restores the default, the oldest ones. Refuses too many ids with
 * INVALID_INPUT and a book without a slot with NOT_FOUND.
 */
export async function pickUsableBooks(
  ctx: Call & BookAccessStores & AccountStores,
  { ids }: PickUsableBooks,
): Promise<UsableBooks> {
  const limit = ctx.actor.plan.itemLimit
  const pickedIds = [...new Set(ids)]
  if (pickedIds.length > limit) {
    throw new AppError(
      'INVALID_INPUT',
      `ids: the plan keeps ${limit} books usable, and you picked ${pickedIds.length}. Pick ${limit} or fewer.`,
    )
  }
  const selectable = new Set(await filterSlotBooks(ctx, pickedIds))
  const unknown = pickedIds.find((id) => !selectable.has(id))
  if (unknown !== undefined) throw new AppError('NOT_FOUND', `Item not found: ${unknown.slice(0, 64)}`)
  const usable = pickedIds.length > 0 ? pickedIds : null
  await ctx.accounts.change(ctx.actor.id, { usable })
  return { ids: usable ?? (await listOldestIds(ctx)), limit }
}
