import { findAccessibleBooks, type BookAccessStores } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import type { DraftRef } from './draft-schema.ts'
import type { Draft, DraftStores, DraftSummary } from './draft-store.ts'
import { maxDrafts } from './save-draft.ts'

/** The caller's draft of a page; null if there is none, or if the book can no longer be read. */
export async function findDraft(
  ctx: Call & BookAccessStores & DraftStores,
  { id: itemId, place }: DraftRef,
): Promise<Draft | null> {
  const [[book], draft] = await Promise.all([
    findAccessibleBooks(ctx, [itemId]),
    ctx.drafts.find({ accountId: ctx.actor.id, itemId, place }),
  ])
  return book ? draft : null
}

/** A draft with the title of its book. */
export interface TitledDraft extends DraftSummary {
  title: string
}

/** The caller's drafts in books that the caller may read, most recent first, without their text. */
export async function listDrafts(ctx: Call & BookAccessStores & DraftStores): Promise<TitledDraft[]> {
  const drafts = await ctx.drafts.list(ctx.actor.id, maxDrafts)
  if (drafts.length === 0) return []
  const books = await findAccessibleBooks(ctx, [...new Set(drafts.map(({ itemId }) => itemId))])
  const titles = new Map(books.map(({ id, title }) => [id, title]))
  return drafts.flatMap((draft) => {
    const title = titles.get(draft.itemId)
    return title === undefined ? [] : [{ ...draft, title }]
  })
}

/** Removes the caller's draft of a page; with a revision, only if no other window has replaced it. Idempotent. */
export async function discardDraft(
  ctx: Call & DraftStores,
  { id: itemId, place, revision }: DraftRef & { revision?: string | undefined },
): Promise<void> {
  await ctx.drafts.remove({ accountId: ctx.actor.id, itemId, place }, revision)
}
