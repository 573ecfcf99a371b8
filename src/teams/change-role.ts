import { findMemberByEmail, memberNotFoundError } from './find-member.ts'
import { lastOwnerError } from './leave-team.ts'
import { requireRole } from './require-member.ts'
import type { ChangedRole, ChangeRole } from './schema.ts'
import { presentMember } from './present-member.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { InviteStores } from './invite-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Changes a member's role, and removes the pending invitations that they may no longer send; for OWNER. Throws CONFLICT
 * if the team would have no owner, MEMBER_NOT_FOUND for an unknown address.
 */
export async function changeRole(
  ctx: Call & TeamStores & MemberStores & InviteStores & DepartmentStores & AccountStores & AuditServices,
  { teamId, email, role }: ChangeRole,
): Promise<ChangedRole> {
  const membership = await requireRole(ctx, teamId, ['OWNER'])
  const found = await findMemberByEmail(ctx, teamId, email)
  if (!found) throw memberNotFoundError(email)
  const { accountId } = found.member
  if (role !== 'OWNER' && found.member.role === 'OWNER' && !(await ctx.teams.removeOwner(teamId, accountId))) {
    throw lastOwnerError()
  }
  if (!(await ctx.members.setRole(teamId, accountId, role))) throw memberNotFoundError(email)
  if (role === 'ADMIN') await ctx.invites.revokeSentBy(teamId, accountId, 'ADMIN')
  if (role === 'MEMBER') await ctx.invites.revokeSentBy(teamId, accountId)
  if (role === 'OWNER') await registerOwner(ctx, teamId, accountId)
  const detail = { team: teamId, from: found.member.role, to: role }
  await ctx.audit.record({ type: 'role_changed', by: ctx, accountId, detail })
  const departments = await ctx.departments.list(teamId)
  return {
    success: true,
    member: await presentMember(ctx, membership, { member: { ...found.member, role }, departments }),
  }
}

/** Registers a member as an owner of the team, unless they have begun to leave in the meantime. */
async function registerOwner(
  { teams, members }: TeamStores & MemberStores,
  teamId: string,
  accountId: string,
): Promise<void> {
  await teams.addOwner(teamId, accountId)
  if (!(await members.find(teamId, accountId))) await teams.removeOwner(teamId, accountId)
}
