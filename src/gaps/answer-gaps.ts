import { itemNotFound } from '../books/find-book.ts'
import type { Book } from '../books/book.ts'
import { redact } from './redact.ts'
import {
  liveStatuses,
  type DismissedGaps,
  type FulfilledGaps,
  type RestoredGaps,
  type SelectGaps,
  type UpdatedGaps,
  type UpdateGaps,
} from './schema.ts'
import { notifyFulfilled } from './reconcile-gaps.ts'
import type { GapSelection, GapStores } from './store.ts'
import { topicKey } from './topic-key.ts'
import type { Call } from '../core/context.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { BookStores } from '../books/store.ts'

/**
 * Fulfils live requests about one of the caller's books and notifies every reader who asked. A repeat finds none and
 * returns zeros.
 */
export async function fulfilGaps(
  ctx: Call & GapStores & NotificationStores & BookStores,
  input: SelectGaps,
): Promise<FulfilledGaps> {
  const ownerId = (await requireAuthoredBook(ctx, input.itemId)).ownerId
  const fulfilled = await ctx.gaps.fulfil(ownerId, toSelection(input), { id: ctx.newId(), at: ctx.now() })
  await notifyFulfilled(ctx, ownerId, fulfilled)
  const notified = new Set(fulfilled.map(({ readerId }) => readerId)).size
  return { ok: true, fulfilledGaps: fulfilled.length, notified }
}

/** Dismisses live requests about one of the caller's books. Notifies nobody. */
export async function dismissGaps(ctx: Call & GapStores & BookStores, input: SelectGaps): Promise<DismissedGaps> {
  const { ownerId } = await requireAuthoredBook(ctx, input.itemId)
  const dismissed = await ctx.gaps.changeStatus(ownerId, toSelection(input), { from: liveStatuses, to: 'DISMISSED' })
  return { ok: true, dismissed }
}

/** Reopens dismissed requests about one of the caller's books. Notifies nobody. */
export async function restoreGaps(ctx: Call & GapStores & BookStores, input: SelectGaps): Promise<RestoredGaps> {
  const { ownerId } = await requireAuthoredBook(ctx, input.itemId)
  const restored = await ctx.gaps.changeStatus(ownerId, toSelection(input), { from: ['DISMISSED'], to: 'OPEN' })
  return { ok: true, restored }
}

/** Sets the status of live requests about one of the caller's books, and returns how many changed. */
export async function updateGaps(
  ctx: Call & GapStores & BookStores,
  { status, ...input }: UpdateGaps,
): Promise<UpdatedGaps> {
  const { ownerId } = await requireAuthoredBook(ctx, input.itemId)
  const from = liveStatuses.filter((other) => other !== status)
  const updated = await ctx.gaps.changeStatus(ownerId, toSelection(input), { from, to: status })
  return { ok: true, updated }
}

/** One of the caller's books. Throws NOT_FOUND for everybody but its owner, including its readers. */
export async function requireAuthoredBook(ctx: Call & BookStores, itemId: string): Promise<Book> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book) throw itemNotFound()
  return book
}

function toSelection({ itemId, gapIds, subcategory }: SelectGaps): GapSelection {
  if (gapIds !== undefined && gapIds.length > 0) return { itemId, gapIds }
  // Stored topics are redacted, so the subcategory must be too.
  return { itemId, topic: topicKey(redact(subcategory ?? '')) }
}
