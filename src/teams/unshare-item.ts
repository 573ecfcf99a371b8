import type { ShareStores } from './share-store.ts'
import { AppError } from '../core/errors.ts'
import { maySee, titlesOf } from './list-team-items.ts'
import { isLeader, requireMember } from './require-member.ts'
import type { UnshareItem, UnsharedItem } from './share-schema.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/** Ends a share, for those who run the team and whoever shared the book. One that the caller cannot see counts as absent. */
export async function unshareItem(
  ctx: Call & BookAccessStores & ShareStores & TeamStores & MemberStores,
  { teamId, itemId }: UnshareItem,
): Promise<UnsharedItem> {
  const place = await requireMember(ctx, teamId)
  const share = await ctx.shares.find(teamId, itemId)
  if (!share || !maySee(place, share)) return unshared({ id: itemId, title: null }, true)
  if (!isLeader(place) && share.sharedBy !== ctx.actor.id) {
    throw new AppError(
      'FORBIDDEN_REVOKE',
      'Only an owner or admin of the team, or whoever shared it, may stop this share',
    )
  }
  const title = (await titlesOf(ctx, [share])).get(itemId) ?? null
  const ended = await ctx.shares.remove(teamId, itemId)
  return unshared({ id: itemId, title }, !ended)
}

function unshared(item: UnsharedItem['item'], alreadyAbsent: boolean): UnsharedItem {
  return { success: true, item, alreadyAbsent }
}
