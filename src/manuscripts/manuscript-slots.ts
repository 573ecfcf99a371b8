import { upgradeUrl } from '../accounts/charge-reads.ts'
import { clipTitle } from '../books/clip-title.ts'
import type { Plan } from '../core/plan.ts'
import { AppError } from '../core/errors.ts'
import { sliceRows } from '../core/pagination.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'
import type { Manuscript, ManuscriptStores } from './store.ts'

const maxNamedOccupants = 10
/** The number of archived manuscripts with which an account cannot create others. Plans limit only the other ones. */
const maxArchived = 300

/** The account whose slots count; for a team manuscript, its author. */
export interface SlotHolder {
  id: string
  plan: Plan
  /** The team whose manuscripts the caller may see of another holder; null: all of the holder's manuscripts. */
  teamId: string | null
}

/** The caller as the holder of slots. */
export function callerAsHolder({ actor }: Pick<Call, 'actor'>): SlotHolder {
  return { id: actor.id, plan: actor.plan, teamId: null }
}

/**
 * Takes a slot for a manuscript that becomes ACTIVE. Throws MANUSCRIPT_LIMIT_EXCEEDED, which names the manuscripts that
 * use the slots.
 */
export async function takeManuscriptSlot(
  ctx: Call & ManuscriptSlotStores & ManuscriptStores & PublicAddress,
  holder: SlotHolder,
  slot: { id: string; manuscriptId: string },
): Promise<void> {
  const limit = holder.plan.manuscriptSlots
  const taken = await ctx.manuscriptSlots.take(holder.id, slot, { limit, at: ctx.now() })
  if (!taken) throw await slotLimitError(ctx, holder)
}

async function slotLimitError(
  ctx: Call & ManuscriptStores & PublicAddress,
  { id: holderId, plan, teamId }: SlotHolder,
): Promise<AppError> {
  const { tierDisplay, manuscriptSlots: limit } = plan
  const active = await ctx.manuscripts.list(holderId, 'ACTIVE')
  const visible = active.filter((manuscript) => teamId === null || manuscript.teamId === teamId)
  const message =
    `The ${tierDisplay} plan has ${limit} manuscript slots, in use by ${nameOccupants(visible, active.length)}. ` +
    `Pause or archive one, or upgrade: ${upgradeUrl(ctx)}`
  return limitError(ctx, message, { limit, used: active.length, occupants: visible })
}

/**
 * Throws MANUSCRIPT_LIMIT_EXCEEDED, which names the newest archived manuscripts, if the caller has `maxArchived` or
 * more of them.
 */
export async function requireFewArchived(ctx: Call & ManuscriptStores & PublicAddress): Promise<void> {
  const used = await ctx.manuscripts.countArchived(ctx.actor.id)
  if (used < maxArchived) return
  const newest = await ctx.manuscripts.list(ctx.actor.id, 'ARCHIVED', maxNamedOccupants)
  const message =
    `You have ${used} archived manuscripts, such as ${nameOccupants(newest, used)}; with ${maxArchived} or more, ` +
    'no other can be created. Change an archived one instead: update_manuscript gives it another title and book, and the status ACTIVE.'
  throw limitError(ctx, message, { limit: maxArchived, used, occupants: newest })
}

/** Names the first manuscripts of a list of `total`. */
function nameOccupants(manuscripts: readonly Manuscript[], total: number): string {
  const named = manuscripts.slice(0, maxNamedOccupants).map(({ id, title }) => `"${clipTitle(title)}" (${id})`)
  return `${named.join(', ') || 'nothing yet'}${total > named.length ? ` and ${total - named.length} more` : ''}`
}

interface ManuscriptLimit {
  limit: number
  used: number
  occupants: readonly Manuscript[]
}

function limitError(ctx: Call & PublicAddress, message: string, { limit, used, occupants }: ManuscriptLimit): AppError {
  const rows = occupants.map(({ id, title, itemId, status }) => ({ id, title, itemId, status }))
  const shown = sliceRows(ctx, rows, { rest: { message } }).rows
  return new AppError('MANUSCRIPT_LIMIT_EXCEEDED', message, {
    details: { upgradeUrl: upgradeUrl(ctx), limit, used, occupants: shown },
  })
}

type Stores = ManuscriptStores & ManuscriptSlotStores

/**
 * Completes slot changes that a crash interrupted before `before`. The manuscript's state decides whether it holds the
 * slot.
 */
export async function reconcileManuscriptSlots({ manuscripts, manuscriptSlots }: Stores, before: Date): Promise<void> {
  for await (const { accountId, manuscriptId, id, since } of manuscriptSlots.listStalePending(before)) {
    const manuscript = await manuscripts.byId(accountId, manuscriptId)
    if (manuscript?.slot === id) await manuscriptSlots.confirm(accountId, id)
    else await manuscriptSlots.release(accountId, id, since)
  }
}
