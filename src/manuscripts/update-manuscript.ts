import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { archiveManuscriptOf } from './archive-manuscript.ts'
import { changeManuscript } from './change-manuscript.ts'
import { findManuscript, type FoundManuscript } from './find-manuscript.ts'
import { ownSlots, takeManuscriptSlot, type SlotHolder } from './manuscript-slots.ts'
import { itemTaken, requireFreeBook, requireOwnBook } from './require-book.ts'
import type { OneManuscriptResult, UpdateManuscript } from './schema.ts'
import { requireTeam, shareWithTeam } from './share-with-team.ts'
import { showOneManuscript } from './present-manuscript.ts'
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

const mostAttempts = 20

/**
 * Changes what is given of a manuscript of the caller's or of a team that they run; null clears a field. Becoming ACTIVE
 * takes a slot of the author's, ceasing to be frees one. What leaves the archive, or moves to another book, needs a book of
 * the author's that has no other manuscript. For a team the book is shared with it, for reading.
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
): Promise<OneManuscriptResult> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const found = await findManuscript(ctx, input.manuscriptId)
    requireRight(found, input)
    const changed = await update(ctx, found, input)
    if (changed) return showOneManuscript(ctx, await shareWithTeam(ctx, changed))
  }
  throw new AppError('TRANSIENT_CONFLICT', 'Other calls are changing this manuscript. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}

/** Whoever runs the team changes the text of a manuscript, pauses and resumes it; the rest is the author's to decide. */
function requireRight({ manuscript, place }: FoundManuscript, { itemId, teamId, status }: UpdateManuscript): void {
  if (place === null) return
  if (place.role === 'MEMBER') {
    throw forbidden('Only the author or a team owner or admin may update a team manuscript')
  }
  if ((itemId ?? manuscript.itemId) !== manuscript.itemId || (teamId ?? manuscript.teamId) !== manuscript.teamId) {
    throw forbidden('Only the author may change the book or the team of a manuscript')
  }
  if (status !== undefined && (status === 'ARCHIVED') !== (manuscript.status === 'ARCHIVED')) {
    throw forbidden('Only the author may put a team manuscript into the archive or take it out')
  }
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', message)
}

/** The manuscript as it is then; null when another call has changed it meanwhile. */
async function update(
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
  { manuscript: current, place }: FoundManuscript,
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
    ...fieldsOf(input),
    ...(place ? {} : dueShare(current, input, updatedAt)),
    itemId,
    status,
    updatedAt,
  }
  const slot = status === 'ACTIVE' ? (current.slot ?? (await takeSlot(ctx, current, place === null))) : null
  const outcome = await changeManuscript(ctx, current, { ...change, slot })
  if (outcome === 'taken') throw itemTaken((await ctx.manuscripts.live(accountId, itemId))?.id ?? null)
  if (outcome === 'missed') return null
  if (needsBook) await confirmBook(ctx, itemId)
  return { ...current, ...change, slot }
}

function fieldsOf({ manuscriptId: _, teamId, structure, ...fields }: UpdateManuscript): Partial<ManuscriptChange> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(given),
    ...(teamId === undefined ? {} : { teamId }),
    ...(structure === undefined ? {} : { structure: structure && JSON.stringify(structure) }),
  }
}

/** A manuscript that goes to a team, and one of a team that goes to another book, is to be shared. */
function dueShare({ teamId, itemId }: Manuscript, input: UpdateManuscript, at: Date): Partial<ManuscriptChange> {
  const moves = input.itemId !== undefined && input.itemId !== itemId
  return input.teamId !== undefined || (teamId !== null && moves) ? { shareDueAt: at } : {}
}

async function takeSlot(
  ctx: Call & AccountStores & PlanServices & ManuscriptSlotStores & ManuscriptStores & PublicAddress,
  manuscript: Manuscript,
  isAuthor: boolean,
): Promise<string> {
  const id = newId(ctx.now())
  const holder = isAuthor ? ownSlots(ctx) : await authorOf(ctx, manuscript)
  await takeManuscriptSlot(ctx, holder, { id, manuscriptId: manuscript.id })
  return id
}

async function authorOf(ctx: AccountStores & PlanServices, { accountId, teamId }: Manuscript): Promise<SlotHolder> {
  const author = await ctx.accounts.byId(accountId)
  if (!author) throw new Error(`The author ${accountId} of a team manuscript has no account`)
  return { id: author.id, plan: ctx.plans.of(author.tier), teamId }
}

/** A book that was deleted meanwhile takes its manuscript into the archive. */
async function confirmBook(
  ctx: Call & BookStores & ManuscriptStores & ManuscriptSlotStores,
  itemId: string,
): Promise<void> {
  try {
    await requireOwnBook(ctx, itemId)
  } catch (error) {
    if (error instanceof AppError) await archiveManuscriptOf(ctx, ctx.actor.id, itemId)
    throw error
  }
}
