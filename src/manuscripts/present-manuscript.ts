import { findAccessibleBooks } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import { systemOwner } from '../books/book.ts'
import { fitsEntirely } from '../core/pagination.ts'
import type { Manuscript as PresentedManuscript, ManuscriptPart, ManuscriptResult } from './schema.ts'
import type { Manuscript } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/** Manuscripts as answers show them, each locked when its book is. Those of others are left out where their book is not the caller's to read. */
export async function presentManuscripts(
  ctx: Call & BookAccessStores,
  manuscripts: readonly Manuscript[],
): Promise<PresentedManuscript[]> {
  const itemIds = [...new Set(manuscripts.map(({ itemId }) => itemId))]
  const [books, isLocked] = await Promise.all([findAccessibleBooks(ctx, itemIds), loadLockCheck(ctx)])
  const readable = new Set(books.map(({ id }) => id))
  const locked = new Set(books.filter(isLocked).map(({ id }) => id))
  return manuscripts
    .filter(({ accountId, itemId }) => accountId === ctx.actor.id || readable.has(itemId))
    .map((manuscript) => toPresented(manuscript, locked.has(manuscript.itemId)))
}

/** One manuscript as an answer, without its longest fields where it is too large for one. */
export async function presentManuscript(
  ctx: Call & BookAccessStores,
  manuscript: Manuscript,
): Promise<ManuscriptResult> {
  const [presented] = await presentManuscripts(ctx, [manuscript])
  if (!presented) throw new Error('Of one manuscript none is shown')
  return { manuscript: fitManuscript(ctx, presented) }
}

/** In the order in which they go. */
const omittableFields = ['structure', 'criteria', 'topics', 'instructions', 'description'] as const

/** Leaves out long fields, and names them, until a manuscript fits into an answer. */
export function fitManuscript(ctx: Call, manuscript: PresentedManuscript): PresentedManuscript | ManuscriptPart {
  if (fitsEntirely(ctx, {}, manuscript)) return manuscript
  const part: ManuscriptPart = { ...manuscript, omitted: [] }
  for (const field of omittableFields) {
    delete part[field]
    part.omitted.push(field)
    if (fitsEntirely(ctx, {}, part)) break
  }
  return part
}

function toPresented(manuscript: Manuscript, locked: boolean): PresentedManuscript {
  const { accountId, teamId, structure, slot: _slot, shareDueAt: _share, createdAt, updatedAt, ...fields } = manuscript
  return {
    ...fields,
    isSystem: accountId === systemOwner,
    team: teamId !== null,
    locked,
    structure: structure === null ? null : JSON.parse(structure),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
