import { upgradeUrl } from '../accounts/charge-reads.ts'
import { clipTitle } from '../books/clip-title.ts'
import type { Plan } from '../core/plan.ts'
import { AppError } from '../core/errors.ts'
import { sliceRows } from '../core/pagination.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'
import type { ManuscriptStores } from './store.ts'

const maxNamedOccupants = 10

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
  const occupants = visible.map(({ id, title, itemId, status }) => ({ id, title, itemId, status }))
  const named = occupants.slice(0, maxNamedOccupants).map(({ id, title }) => `"${clipTitle(title)}" (${id})`)
  const moreText = active.length > named.length ? ` and ${active.length - named.length} more` : ''
  const message =
    `The ${tierDisplay} plan has ${limit} manuscript slots, in use by ${named.join(', ') || 'nothing yet'}${moreText}. ` +
    `Pause or archive one, or upgrade: ${upgradeUrl(ctx)}`
  return new AppError('MANUSCRIPT_LIMIT_EXCEEDED', message, {
    details: {
      upgradeUrl: upgradeUrl(ctx),
      limit,
      used: active.length,
      occupants: sliceRows(ctx, occupants, { rest: { message } }).rows,
    },
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
