import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { archiveManuscriptOf, manuscriptNotFound } from './archive-manuscript.ts'
import { changeManuscript } from './change-manuscript.ts'
import { takeManuscriptSlot } from './manuscript-slots.ts'
import { itemTaken, requireFreeBook, requireOwnBook } from './require-book.ts'
import { requireTeam } from './require-team.ts'
import type { OneManuscriptResult, UpdateManuscript } from './schema.ts'
import { showOneManuscript } from './show-manuscript.ts'
import type { Manuscript, ManuscriptChange } from './store.ts'

const mostAttempts = 20

/**
 * Changes what is given of an own manuscript; null clears a field. Becoming ACTIVE takes a slot, ceasing to be frees
 * one. What leaves the archive, or moves to another book, needs a book of the caller's that has no other manuscript.
 */
export async function updateManuscript(ctx: Context, input: UpdateManuscript): Promise<OneManuscriptResult> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const current = await ctx.manuscripts.byId(ctx.actor.id, input.manuscriptId)
    if (!current) throw manuscriptNotFound()
    const changed = await update(ctx, current, input)
    if (changed) return showOneManuscript(ctx, changed)
  }
  throw new AppError('TRANSIENT_CONFLICT', 'Other calls are changing this manuscript. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}

/** The manuscript as it is then; null when another call has changed it meanwhile. */
async function update(ctx: Context, current: Manuscript, input: UpdateManuscript): Promise<Manuscript | null> {
  const { id, accountId } = current
  const { itemId = current.itemId, status = current.status } = input
  const needsBook = status !== 'ARCHIVED' && (current.status === 'ARCHIVED' || itemId !== current.itemId)
  if (needsBook || itemId !== current.itemId) await requireOwnBook(ctx, itemId)
  await requireTeam(ctx, input.teamId)
  if (needsBook) await requireFreeBook(ctx, itemId, id)
  const change = { ...fieldsOf(input), itemId, status, slot: null as string | null, updatedAt: ctx.now() }
  if (status === 'ACTIVE') change.slot = current.slot ?? (await takeSlot(ctx, id))
  const outcome = await changeManuscript(ctx, current, change)
  if (outcome === 'taken') throw itemTaken((await ctx.manuscripts.live(accountId, itemId))?.id ?? null)
  if (outcome === 'missed') return null
  if (needsBook) await confirmBook(ctx, itemId)
  return { ...current, ...change }
}

function fieldsOf({ manuscriptId: _, teamId, structure, ...fields }: UpdateManuscript): Partial<ManuscriptChange> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(given),
    ...(teamId === undefined ? {} : { teamId }),
    ...(structure === undefined ? {} : { structure: structure && JSON.stringify(structure) }),
  }
}

async function takeSlot(ctx: Context, manuscriptId: string): Promise<string> {
  const id = newId(ctx.now())
  await takeManuscriptSlot(ctx, { id, manuscriptId })
  return id
}

/** A book that was deleted meanwhile takes its manuscript into the archive. */
async function confirmBook(ctx: Context, itemId: string): Promise<void> {
  try {
    await requireOwnBook(ctx, itemId)
  } catch (error) {
    if (error instanceof AppError) await archiveManuscriptOf(ctx, ctx.actor.id, itemId)
    throw error
  }
}
