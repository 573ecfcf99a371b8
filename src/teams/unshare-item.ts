import type { ShareStores } from './share-store.ts'
import { AppError } from '../core/errors.ts'
import { canSeeShare, loadTitles } from './list-team-items.ts'
import { isManager, requireMember } from './require-member.ts'
import type { UnshareItem, UnsharedItem } from './share-schema.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Ends a share; for OWNER, ADMIN and the account that created it, others get FORBIDDEN_REVOKE. A share that the caller
 * cannot see counts as absent.
 */
export async function unshareItem(
  ctx: Call & BookAccessStores & ShareStores & TeamStores & MemberStores & AuditServices,
  { teamId, itemId }: UnshareItem,
): Promise<UnsharedItem> {
  const membership = await requireMember(ctx, teamId)
  const share = await ctx.shares.find(teamId, itemId)
  if (!share || !canSeeShare(membership, share)) return unsharedResult({ id: itemId, title: null }, true)
  if (!isManager(membership) && share.sharedBy !== ctx.actor.id) {
    throw new AppError(
      'FORBIDDEN_REVOKE',
      'Only an owner or admin of the team, or whoever shared the book, may end this share',
    )
  }
  const title = (await loadTitles(ctx, [share])).get(itemId) ?? null
  const ended = await ctx.shares.remove(teamId, itemId)
  const detail = { team: teamId, item: itemId }
  if (ended) await ctx.audit.record({ type: 'share_removed', by: ctx, accountId: share.ownerId, detail })
  return unsharedResult({ id: itemId, title }, !ended)
}

function unsharedResult(item: UnsharedItem['item'], alreadyAbsent: boolean): UnsharedItem {
  return { success: true, item, alreadyAbsent }
}
