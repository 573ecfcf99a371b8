import { AppError } from '../core/errors.ts'
import { changeManuscript, type ChangeManuscriptStores } from './change-manuscript.ts'
import { findManuscript } from './find-manuscript.ts'
import type { ArchivedManuscript, ManuscriptRef } from './schema.ts'
import type { Manuscript, ManuscriptStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookStores } from '../books/store.ts'
import type { ManuscriptSlotStores } from './manuscript-slot-store.ts'
import type { MemberStores } from '../teams/member-store.ts'

/**
 * Archives one of the caller's manuscripts: updates stop, its slot is released, its book stays. Idempotent. Throws
 * NOT_FOUND, and FORBIDDEN for a team manuscript of another author.
 */
export async function archiveManuscript(
  ctx: Call & BookAccessStores & ManuscriptStores & ManuscriptSlotStores & MemberStores,
  { manuscriptId }: ManuscriptRef,
): Promise<ArchivedManuscript> {
  const found = await archive(ctx, () => ctx.manuscripts.byId(ctx.actor.id, manuscriptId))
  if (!found) {
    await findManuscript(ctx, manuscriptId)
    throw new AppError('FORBIDDEN', 'Only the author may archive a team manuscript')
  }
  return { success: true }
}

/** Archives the manuscript of a book unless the book is in the library; the manuscript stays readable. */
export async function archiveManuscriptOfBook(
  stores: ChangeManuscriptStores & BookStores,
  accountId: string,
  itemId: string,
): Promise<void> {
  await archive(stores, async () => {
    const found = await stores.manuscripts.unarchivedByBook(accountId, itemId)
    // Checked last: the manuscript is archived only as it was before this check.
    return found && (await stores.books.findOwned(accountId, [itemId])).length === 0 ? found : null
  })
}

/** Archives the manuscript that `find` returns, and retries while others change it; false if there is none. */
async function archive(stores: ChangeManuscriptStores, find: () => Promise<Manuscript | null>): Promise<boolean> {
  for (;;) {
    const current = await find()
    if (!current) return false
    if (current.status === 'ARCHIVED') return true
    const change = { itemId: current.itemId, status: 'ARCHIVED', slot: null, updatedAt: stores.now() } as const
    if ((await changeManuscript(stores, current, change)) === 'written') return true
  }
}
