import type { Clock } from '../core/context.ts'
import type { DraftStores } from './draft-store.ts'

/** How long a draft is kept after its last save, days. */
const draftDays = 30

/** Removes drafts that have been unchanged for 30 days. */
export async function expireDrafts({ drafts, now }: Clock & DraftStores): Promise<void> {
  await drafts.removeOlderThan(new Date(now().getTime() - draftDays * 24 * 60 * 60 * 1000))
}
