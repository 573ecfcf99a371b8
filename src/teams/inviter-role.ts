import type { Invite } from './invite-store.ts'
import type { MemberStores, Role } from './member-store.ts'

/** True if a member with this role may invite people as `invited`: only owners may invite an admin. */
export function canInviteAs(role: Role, invited: Invite['role']): boolean {
  return role === 'OWNER' || (role === 'ADMIN' && invited === 'MEMBER')
}

/**
 * True while the sender or renewer of an invitation may still invite. Invitations of somebody who loses the role are
 * removed; this check also covers those that a crash has kept, and those of the first release.
 */
export async function hasAuthorizedInviter(
  { members }: MemberStores,
  { teamId, invitedBy, role }: Pick<Invite, 'teamId' | 'invitedBy' | 'role'>,
): Promise<boolean> {
  const inviter = invitedBy === null ? null : await members.find(teamId, invitedBy)
  return inviter !== null && canInviteAs(inviter.role, role)
}

/** The invitations whose sender or renewer may still invite. */
export async function withAuthorizedInviter(ctx: MemberStores, invites: readonly Invite[]): Promise<Invite[]> {
  const isAuthorized = await Promise.all(invites.map((invite) => hasAuthorizedInviter(ctx, invite)))
  return invites.filter((_, index) => isAuthorized[index])
}
