import type { BookAccessStores } from '../books/access.ts'
import { findAccessibleBook, itemNotFound } from '../books/find-book.ts'
import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { SaveDraft } from './draft-schema.ts'
import type { Draft, DraftStores } from './draft-store.ts'

/** Maximum number of drafts per account. */
export const maxDrafts = 50

/** A saved draft. */
export type KeptDraft = Pick<Draft, 'revision' | 'at'>

/**
 * Keeps typed text that is not in the book yet, for its writer only. Works even if the book is locked or read-only,
 * because permissions may change during typing. Refuses with CONFLICT text that another window has replaced
 * (`details.revision` is the newer one), too many drafts, and a book without an editor (ITEM_NOT_EDITABLE).
 */
export async function saveDraft(ctx: Call & BookAccessStores & DraftStores, input: SaveDraft): Promise<KeptDraft> {
  const { id: itemId, place, content, version, revision: known } = input
  const { sourceType } = await findAccessibleBook(ctx, itemId)
  if (sourceType !== 'markdown') throw new AppError('ITEM_NOT_EDITABLE', 'Only Markdown books can be edited.')
  const at = ctx.now()
  const key = { accountId: ctx.actor.id, itemId, place }
  const draft: Draft = { ...key, content, version, revision: newId(at), at }
  const outcome = await saveOver(ctx, draft, known === '' ? null : known)
  if (outcome === 'added') await checkAdded(ctx, draft)
  return { revision: draft.revision, at }
}

async function saveOver(ctx: DraftStores, draft: Draft, known: string | null): Promise<'added' | 'replaced'> {
  const saved = await ctx.drafts.save(draft, known)
  if (saved) return saved
  const other = await ctx.drafts.find(draft)
  // The draft was discarded in another window, or has expired.
  if (!other && known !== null) return saveOver(ctx, draft, null)
  if (other?.content === draft.content) return saveOver(ctx, draft, other.revision)
  throw new AppError(
    'CONFLICT',
    'Another window has kept a different draft of this page in the meantime. Keep this text again to replace it, or open the page in a new window to see it.',
    {
      details: other ? { revision: other.revision, draftAt: other.at.toISOString() } : {},
    },
  )
}

/** Removes a new draft again if it exceeds the limit, or if its book was deleted in the meantime. */
async function checkAdded(ctx: Call & BookAccessStores & DraftStores, draft: Draft): Promise<void> {
  const [count, [book]] = await Promise.all([ctx.drafts.count(draft.accountId), ctx.books.byIds([draft.itemId])])
  if (book && count <= maxDrafts) return
  await ctx.drafts.remove(draft, draft.revision)
  if (!book) throw itemNotFound()
  const message = `You have ${maxDrafts} drafts, the most there can be. Save or discard one, then keep this text.`
  throw new AppError('CONFLICT', message, { details: { maxDrafts } })
}
