import { writeMarkdownBook } from '../writing/create-markdown-item.ts'
import { withSlot, type CreationStores } from '../books/with-slot.ts'
import { AppError } from '../core/errors.ts'
import { callerAsHolder, requireFewArchived, takeManuscriptSlot } from './manuscript-slots.ts'
import { itemTakenError, requireFreeBook, requireOwnBook } from './require-book.ts'
import { requireTeam, shareWithTeam } from './share-with-team.ts'
import type { CreateManuscript, ManuscriptResult } from './schema.ts'
import { presentManuscript } from './present-manuscript.ts'
import type { Manuscript, ManuscriptStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { TeamStores } from '../teams/store.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { ShareStores } from '../teams/share-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { DepartmentStores } from '../teams/department-store.ts'
import type { SubscriptionStores } from '../marketplace/subscription-store.ts'
import type { BookStores } from '../books/store.ts'

/**
 * Creates an ACTIVE manuscript on one of the caller's books or on a new, empty Markdown book with the manuscript's id.
 * For a team, also shares the book with it for reading. A failed creation leaves nothing behind. Throws
 * PLAN_LIMIT_EXCEEDED, MANUSCRIPT_LIMIT_EXCEEDED, MANUSCRIPT_ITEM_CONFLICT, ITEM_NOT_FOUND, NOT_TEAM_MEMBER and
 * TEAM_SUBSCRIPTION_REQUIRED.
 */
export async function createManuscript(
  ctx: Call &
    CreationStores &
    ManuscriptStores &
    TeamStores &
    MemberStores &
    ShareStores &
    NotificationStores &
    ManuscriptSlotStores &
    ContentStores &
    DepartmentStores &
    SubscriptionStores &
    AccountStores &
    PublicAddress,
  input: CreateManuscript,
): Promise<ManuscriptResult> {
  const id = ctx.newId()
  const existing = ctx.idempotencyKey === null ? null : await ctx.manuscripts.byId(ctx.actor.id, id)
  if (existing) return presentManuscript(ctx, await shareWithTeam(ctx, existing))
  await requireFewArchived(ctx)
  if (input.itemId !== undefined) await requireOwnBook(ctx, input.itemId)
  await requireTeam(ctx, { teamId: input.teamId, itemId: input.itemId ?? null })
  const manuscript = newManuscript(ctx, { id, input })
  await (input.itemId === undefined ? addWithNewBook(ctx, manuscript) : addToExistingBook(ctx, manuscript))
  return presentManuscript(ctx, await shareWithTeam(ctx, manuscript))
}

function newManuscript(ctx: Call, { id, input }: { id: string; input: CreateManuscript }): Manuscript {
  const at = ctx.now()
  return {
    id,
    accountId: ctx.actor.id,
    teamId: input.teamId ?? null,
    itemId: input.itemId ?? id,
    title: input.title,
    description: input.description ?? null,
    audience: input.audience ?? null,
    topics: input.topics ?? [],
    criteria: input.criteria ?? [],
    trigger: input.trigger ?? null,
    instructions: input.instructions ?? null,
    instructionsBy: ctx.actor.id,
    client: ctx.transport === 'mcp' ? (ctx.actor.credential.name ?? ctx.clientName) : null,
    autoUpdate: input.autoUpdate ?? false,
    structure: input.structure ? JSON.stringify(input.structure) : null,
    status: 'ACTIVE',
    slot: id,
    shareDueAt: input.teamId === undefined ? null : at,
    createdAt: at,
    updatedAt: at,
  }
}

async function addWithNewBook(
  ctx: Call & CreationStores & ManuscriptSlotStores & ContentStores & ManuscriptStores & PublicAddress,
  manuscript: Manuscript,
): Promise<void> {
  const { id, title, description } = manuscript
  try {
    await withSlot(ctx, id, async () => {
      await takeManuscriptSlot(ctx, callerAsHolder(ctx), { id, manuscriptId: id })
      await writeMarkdownBook(ctx, { id, pages: [], content: '', input: { title, description } })
      await insertManuscript(ctx, manuscript)
    })
  } catch (error) {
    const isUndone = error instanceof AppError && (await ctx.books.findOwned(ctx.actor.id, [id])).length === 0
    if (isUndone) await undoInsert(ctx, id)
    throw error
  }
}

async function addToExistingBook(
  ctx: Call & ManuscriptStores & ManuscriptSlotStores & BookStores & PublicAddress,
  manuscript: Manuscript,
): Promise<void> {
  const { id, itemId } = manuscript
  await requireFreeBook(ctx, itemId, id)
  await takeManuscriptSlot(ctx, callerAsHolder(ctx), { id, manuscriptId: id })
  await insertManuscript(ctx, manuscript)
  try {
    await requireOwnBook(ctx, itemId)
  } catch (error) {
    // The book was deleted meanwhile: undo the creation.
    if (error instanceof AppError) await undoInsert(ctx, id)
    throw error
  }
}

async function insertManuscript(
  ctx: Call & ManuscriptStores & ManuscriptSlotStores & PublicAddress,
  manuscript: Manuscript,
): Promise<void> {
  const { accountId, id, itemId } = manuscript
  const outcome = await ctx.manuscripts.add(manuscript)
  if (outcome === 'item-taken') {
    await ctx.manuscriptSlots.release(accountId, id)
    throw itemTakenError((await ctx.manuscripts.unarchivedByBook(accountId, itemId))?.id ?? null)
  }
  const hasSlot = async () => (await ctx.manuscripts.byId(accountId, id))?.slot === id
  // A repeat of this call has created the manuscript, which may have given up its slot since, before this call took it.
  if (outcome === 'stale' && !(await hasSlot())) await ctx.manuscriptSlots.release(accountId, id)
  else if (!(await ctx.manuscriptSlots.confirm(accountId, id)) && (await hasSlot())) await retakeSlot(ctx, id)
}

/** Takes the slot of a new manuscript again that was released because this process had stopped; undoes it without one. */
async function retakeSlot(
  ctx: Call & ManuscriptStores & ManuscriptSlotStores & PublicAddress,
  id: string,
): Promise<void> {
  try {
    await takeManuscriptSlot(ctx, callerAsHolder(ctx), { id, manuscriptId: id })
  } catch (error) {
    await undoInsert(ctx, id)
    throw error
  }
  await ctx.manuscriptSlots.confirm(ctx.actor.id, id)
}

async function undoInsert(ctx: Call & ManuscriptStores & ManuscriptSlotStores, id: string): Promise<void> {
  await ctx.manuscripts.remove(ctx.actor.id, id)
  await ctx.manuscriptSlots.release(ctx.actor.id, id)
}
