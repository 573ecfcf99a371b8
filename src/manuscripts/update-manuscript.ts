import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { archiveManuscriptOfBook } from './archive-manuscript.ts'
import { changeManuscript } from './change-manuscript.ts'
import { findManuscript, type FoundManuscript } from './find-manuscript.ts'
import { callerAsHolder, takeManuscriptSlot, type SlotHolder } from './manuscript-slots.ts'
import { itemTakenError, requireFreeBook, requireOwnBook } from './require-book.ts'
import type { ManuscriptResult, UpdateManuscript } from './schema.ts'
import { requireTeam, shareWithTeam } from './share-with-team.ts'
import { presentManuscript } from './present-manuscript.ts'
import type { Manuscript, ManuscriptChange, ManuscriptStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { TeamStores } from '../teams/store.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { DepartmentStores } from '../teams/department-store.ts'
import type { BookStores } from '../books/store.ts'
import type { ShareStores } from '../teams/share-store.ts'

const maxAttempts = 20

/**
 * Changes the given fields of one of the caller's manuscripts, or of one in a team that they manage; null clears a
 * field. If a manager changes instructions, trigger or autoUpdate, autoUpdate is off until the author agrees. Becoming
 * ACTIVE takes one of the author's slots; leaving ACTIVE releases it. Unarchiving it or changing its book requires a
 * book of the author without another manuscript. The book of a team manuscript is shared with the team for reading.
 * Throws TRANSIENT_CONFLICT after 20 attempts against concurrent changes.
 */
export async function updateManuscript(
  ctx: Call &
    BookAccessStores &
    ShareStores &
    ManuscriptStores &
    MemberStores &
    TeamStores &
    ManuscriptSlotStores &
    NotificationStores &
    AccountStores &
    PlanServices &
    DepartmentStores &
    PublicAddress,
  input: UpdateManuscript,
): Promise<ManuscriptResult> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const found = await findManuscript(ctx, input.manuscriptId)
    requirePermission(found, input)
    const changed = await tryUpdate(ctx, found, input)
    if (changed) return presentManuscript(ctx, await shareWithTeam(ctx, changed))
  }
  throw new AppError('TRANSIENT_CONFLICT', 'Other calls are changing this manuscript. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}

/**
 * Checks permissions. An OWNER or ADMIN of the team may change the text of a manuscript, pause and resume it. Only the
 * author may change its book or team, archive and unarchive it, or switch automatic updates on. Throws FORBIDDEN.
 */
function requirePermission(
  { manuscript, membership }: FoundManuscript,
  { itemId, teamId, status, autoUpdate }: UpdateManuscript,
): void {
  if (membership === null) return
  if (membership.role === 'MEMBER') {
    throw forbiddenError('Only the author or a team owner or admin may update a team manuscript')
  }
  if ((itemId ?? manuscript.itemId) !== manuscript.itemId || (teamId ?? manuscript.teamId) !== manuscript.teamId) {
    throw forbiddenError('Only the author may change the book or the team of a manuscript')
  }
  if (status !== undefined && (status === 'ARCHIVED') !== (manuscript.status === 'ARCHIVED')) {
    throw forbiddenError('Only the author may archive or unarchive a team manuscript')
  }
  if (autoUpdate === true && !manuscript.autoUpdate) {
    throw forbiddenError('Only the author may switch automatic updates of a team manuscript on')
  }
}

function forbiddenError(message: string): AppError {
  return new AppError('FORBIDDEN', message)
}

/** Returns the changed manuscript; null if another call has changed it in the meantime. */
async function tryUpdate(
  ctx: Call &
    ManuscriptStores &
    BookStores &
    TeamStores &
    MemberStores &
    ShareStores &
    ManuscriptSlotStores &
    AccountStores &
    PlanServices &
    PublicAddress,
  { manuscript: current, membership }: FoundManuscript,
  input: UpdateManuscript,
): Promise<Manuscript | null> {
  const { id, accountId } = current
  const { itemId = current.itemId, status = current.status } = input
  const needsBook = status !== 'ARCHIVED' && (current.status === 'ARCHIVED' || itemId !== current.itemId)
  if (needsBook || itemId !== current.itemId) await requireOwnBook(ctx, itemId)
  await requireTeam(ctx, { teamId: input.teamId, itemId })
  if (needsBook) await requireFreeBook(ctx, itemId, id)
  const updatedAt = ctx.now()
  const change = {
    ...(membership ? leaderEdit(current, input, ctx.actor.id) : authorEdit(input, ctx.actor.id)),
    ...(membership ? {} : shareDueChange(current, input, updatedAt)),
    itemId,
    status,
    updatedAt,
  }
  const slot = status === 'ACTIVE' ? (current.slot ?? (await takeSlot(ctx, current, membership === null))) : null
  const outcome = await changeManuscript(ctx, current, { ...change, slot })
  if (outcome === 'item-taken')
    throw itemTakenError((await ctx.manuscripts.unarchivedByBook(accountId, itemId))?.id ?? null)
  if (outcome === 'stale') return null
  if (needsBook) await requireBookStillExists(ctx, itemId)
  return { ...current, ...change, slot }
}

function changedFields({ manuscriptId: _, teamId, structure, ...fields }: UpdateManuscript): Partial<ManuscriptChange> {
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(definedFields),
    ...(teamId === undefined ? {} : { teamId }),
    ...(structure === undefined ? {} : { structure: structure && JSON.stringify(structure) }),
  }
}

/** The author's own edit. Setting `autoUpdate` also answers a leader's edit that has switched it off. */
function authorEdit(input: UpdateManuscript, authorId: string): Partial<ManuscriptChange> {
  return {
    ...changedFields(input),
    ...(input.instructions === undefined ? {} : { instructionsBy: authorId }),
    ...(input.autoUpdate === undefined ? {} : { autoUpdatePausedBy: null }),
  }
}

const guidingFields = ['instructions', 'trigger', 'autoUpdate'] as const

/**
 * A leader's edit of another account's manuscript. It may change the fields that the author's agents follow without
 * asking (`guidingFields`), but then automatic updates are off until the author switches them on.
 */
function leaderEdit(current: Manuscript, input: UpdateManuscript, leaderId: string): Partial<ManuscriptChange> {
  const given = changedFields(input)
  const guided = guidingFields.filter((field) => given[field] !== undefined && given[field] !== current[field])
  // A field that is sent back unchanged is not an edit, and must not revert another edit.
  for (const field of guidingFields) if (!guided.includes(field)) delete given[field]
  const { editors = [] } = current
  return {
    ...given,
    editors: editors.includes(leaderId) ? editors : [...editors, leaderId],
    ...(guided.includes('instructions') ? { instructionsBy: leaderId } : {}),
    ...(guided.length > 0 ? { autoUpdate: false, autoUpdatePausedBy: leaderId } : {}),
  }
}

/** Sharing becomes due when a manuscript gets a team, or a team manuscript gets another book. */
function shareDueChange({ teamId, itemId }: Manuscript, input: UpdateManuscript, at: Date): Partial<ManuscriptChange> {
  const changesBook = input.itemId !== undefined && input.itemId !== itemId
  return input.teamId !== undefined || (teamId !== null && changesBook) ? { shareDueAt: at } : {}
}

async function takeSlot(
  ctx: Call & AccountStores & PlanServices & ManuscriptSlotStores & ManuscriptStores & PublicAddress,
  manuscript: Manuscript,
  isAuthor: boolean,
): Promise<string> {
  const id = newId(ctx.now())
  const holder = isAuthor ? callerAsHolder(ctx) : await authorAsHolder(ctx, manuscript)
  await takeManuscriptSlot(ctx, holder, { id, manuscriptId: manuscript.id })
  return id
}

async function authorAsHolder(
  ctx: AccountStores & PlanServices,
  { accountId, teamId }: Manuscript,
): Promise<SlotHolder> {
  const author = await ctx.accounts.byId(accountId)
  if (!author) throw new Error(`The author ${accountId} of a team manuscript has no account`)
  return { id: author.id, plan: ctx.plans.byTier(author.tier), teamId }
}

/** Throws ITEM_NOT_FOUND if the book has been deleted in the meantime, after archiving its manuscript. */
async function requireBookStillExists(
  ctx: Call & BookStores & ManuscriptStores & ManuscriptSlotStores,
  itemId: string,
): Promise<void> {
  try {
    await requireOwnBook(ctx, itemId)
  } catch (error) {
    if (error instanceof AppError) await archiveManuscriptOfBook(ctx, ctx.actor.id, itemId)
    throw error
  }
}
