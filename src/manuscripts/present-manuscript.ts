import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { AccountStores } from '../accounts/store.ts'
import { findAccessibleBooks } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import { systemOwner } from '../books/book.ts'
import { fitsEntirely } from '../core/pagination.ts'
import type { Manuscript as PresentedManuscript, ManuscriptPart, ManuscriptResult } from './schema.ts'
import type { Manuscript } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/**
 * Manuscripts in a response, each `locked` if its book is. Manuscripts of other authors are omitted if the caller may
 * not read their book.
 */
export async function presentManuscripts(
  ctx: Call & AccountStores & BookAccessStores,
  manuscripts: readonly Manuscript[],
): Promise<PresentedManuscript[]> {
  const itemIds = [...new Set(manuscripts.map(({ itemId }) => itemId))]
  const [books, isLocked] = await Promise.all([findAccessibleBooks(ctx, itemIds), loadLockCheck(ctx)])
  const readable = new Set(books.map(({ id }) => id))
  const locked = new Set(books.filter(isLocked).map(({ id }) => id))
  const visible = manuscripts.filter(({ accountId, itemId }) => accountId === ctx.actor.id || readable.has(itemId))
  const nameOf = await loadAccountNames(ctx, visible.flatMap(namedAccounts))
  return visible.map((manuscript) => ({
    ...toPresented(manuscript, { locked: locked.has(manuscript.itemId), nameOf }),
    ...quotedFromOthers(ctx, manuscript, nameOf),
  }))
}

/** One manuscript in a response, without its longest fields if it exceeds the budget. */
export async function presentManuscript(
  ctx: Call & AccountStores & BookAccessStores,
  manuscript: Manuscript,
): Promise<ManuscriptResult> {
  const [presented] = await presentManuscripts(ctx, [manuscript])
  if (!presented) throw new Error(`Manuscript ${manuscript.id} of the caller was filtered out`)
  return { manuscript: fitManuscript(ctx, presented) }
}

/** In the order in which `fitManuscript` omits them. */
const omittableFields = ['structure', 'criteria', 'topics', 'instructions', 'description'] as const

/** Omits long fields, and names them, until a manuscript fits the budget. */
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

/** The accounts that the answer mentions. */
function namedAccounts({ accountId, instructionsBy, autoUpdatePausedBy, editors = [] }: Manuscript): string[] {
  return [accountId, instructionsBy, autoUpdatePausedBy, ...editors].filter((id) => typeof id === 'string')
}

/** The author of the instructions. In rows without a record it may have been any leader of the team. */
function instructionsAuthor({ accountId, teamId, instructionsBy }: Manuscript): string | null {
  return instructionsBy ?? (teamId === null ? accountId : null)
}

/** Over MCP: names the other accounts whose words a manuscript contains. */
function quotedFromOthers(
  { actor, transport }: Call,
  { accountId, editors = [] }: Manuscript,
  nameOf: Presentation['nameOf'],
): { quotedFrom?: string } {
  const others = [accountId, ...editors].filter((id) => id !== actor.id)
  return transport === 'mcp' && others.length > 0 ? { quotedFrom: others.map(nameOf).join(', ') } : {}
}

interface Presentation {
  locked: boolean
  nameOf: (id: string) => string
}

function toPresented(manuscript: Manuscript, { locked, nameOf }: Presentation): PresentedManuscript {
  const { accountId, teamId, structure, slot: _slot, shareDueAt: _share, createdAt, updatedAt, ...rest } = manuscript
  const { instructionsBy: _by, autoUpdatePausedBy, editors: _editors, ...fields } = rest
  const author = instructionsAuthor(manuscript)
  const refOf = (id: string) => ({ id, name: nameOf(id) })
  return {
    ...fields,
    ...(fields.instructions === null ? {} : { instructionsBy: author === null ? null : refOf(author) }),
    ...(autoUpdatePausedBy ? { autoUpdatePausedBy: refOf(autoUpdatePausedBy) } : {}),
    isSystem: accountId === systemOwner,
    team: teamId !== null,
    locked,
    structure: structure === null ? null : JSON.parse(structure),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
