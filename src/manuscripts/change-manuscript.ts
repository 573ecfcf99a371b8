import type { Manuscript, ManuscriptChange, WriteOutcome, ManuscriptStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'

export type Stores = Clock & ManuscriptStores & ManuscriptSlotStores

/**
 * Changes a manuscript that is still as `current` says, and gives its slot back when it gives that up. A new slot in
 * `change` has been taken before; it is given back unless the change is written.
 */
export async function changeManuscript(
  { manuscripts, manuscriptSlots, now }: Stores,
  current: Manuscript,
  change: ManuscriptChange,
): Promise<WriteOutcome> {
  const { accountId } = current
  const [given, taken] = current.slot === change.slot ? [null, null] : [current.slot, change.slot]
  if (given !== null) await manuscriptSlots.announceRelease(accountId, given, now())
  const outcome = await manuscripts.change(current, change)
  if (taken !== null) {
    if (outcome === 'written') await manuscriptSlots.settle(accountId, taken)
    else await manuscriptSlots.release(accountId, taken)
  }
  // Where another call was faster the sweep finds out whose the announced slot is.
  if (given !== null && outcome === 'written') await manuscriptSlots.release(accountId, given)
  return outcome
}
