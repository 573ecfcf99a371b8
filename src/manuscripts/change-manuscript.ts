import type { Manuscript, ManuscriptChange, WriteOutcome, ManuscriptStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'

export type ChangeManuscriptStores = Clock & ManuscriptStores & ManuscriptSlotStores

/**
 * Changes a manuscript if it still has the status and slot of `current`, and releases the slot that it gives up. The
 * caller has taken a new slot in `change` before; it is released unless the change is written.
 */
export async function changeManuscript(
  { manuscripts, manuscriptSlots, now }: ChangeManuscriptStores,
  current: Manuscript,
  change: ManuscriptChange,
): Promise<WriteOutcome> {
  const { accountId } = current
  const [releasedSlot, takenSlot] = current.slot === change.slot ? [null, null] : [current.slot, change.slot]
  if (releasedSlot !== null) await manuscriptSlots.markReleasing(accountId, releasedSlot, now())
  const outcome = await manuscripts.change(current, change)
  if (takenSlot !== null) {
    if (outcome !== 'written') await manuscriptSlots.release(accountId, takenSlot)
    else if (!(await manuscriptSlots.confirm(accountId, takenSlot))) {
      // The slot was released meanwhile, because this process had stopped: the change is undone, and can be retried.
      const { itemId, status, slot } = current
      const undo = { itemId, status, slot, updatedAt: now() }
      if ((await manuscripts.change({ ...current, ...change }, undo)) === 'written') return 'stale'
    }
  }
  // If another call was faster, the sweep decides whether the slot is still in use (`reconcileManuscriptSlots`).
  if (releasedSlot !== null && outcome === 'written') await manuscriptSlots.release(accountId, releasedSlot)
  return outcome
}
