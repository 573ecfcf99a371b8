import type { Manuscript, ManuscriptChange, WriteOutcome, ManuscriptStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'

export type ChangeManuscriptStores = Clock & ManuscriptStores & ManuscriptSlotStores

/**
 * Changes a manuscript that is still as `current` says, and gives its slot back when it gives that up. A new slot in
 * `change` has been taken before; it is given back unless the change is written.
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
    if (outcome === 'written') await manuscriptSlots.confirm(accountId, takenSlot)
    else await manuscriptSlots.release(accountId, takenSlot)
  }
  // Where another call was faster the sweep finds out whose the announced slot is.
  if (releasedSlot !== null && outcome === 'written') await manuscriptSlots.release(accountId, releasedSlot)
  return outcome
}
