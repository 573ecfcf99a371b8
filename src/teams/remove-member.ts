import { AppError } from '../core/errors.ts'
import { findMemberByEmail, memberNotFoundError } from './find-member.ts'
import { endMembership } from './leave-team.ts'
import { requireRole } from './require-member.ts'
import type { MemberRef, RemovedMember } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { InviteStores } from './invite-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { MemberStores } from './member-store.ts'
import type { TeamStores } from './store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { ShareStores } from './share-store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Removes a member from a team, or revokes their invitation; for OWNER. Throws CANNOT_REMOVE_SELF and MEMBER_NOT_FOUND.
 */
export async function removeMember(
  ctx: Call &
    InviteStores &
    AccountStores &
    MemberStores &
    TeamStores &
    TeamManuscriptStores &
    ShareStores &
    AuditServices,
  { teamId, email }: MemberRef,
): Promise<RemovedMember> {
  await requireRole(ctx, teamId, ['OWNER'])
  if (email === ctx.actor.account.email) {
    const message = 'You cannot remove yourself. Leave the team instead: POST /api/v1/teams/{teamId}/leave.'
    throw new AppError('CANNOT_REMOVE_SELF', message)
  }
  const found = await findMemberByEmail(ctx, teamId, email)
  if (found) await endMembership(ctx, found.member)
  else if (!(await ctx.invites.revoke(teamId, email))) throw memberNotFoundError(email)
  const accountId = found?.member.accountId ?? null
  await ctx.audit.record({ type: 'member_removed', by: ctx, accountId, detail: { team: teamId } })
  return { success: true, member: { email } }
}
