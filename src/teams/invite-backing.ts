import type { Invite } from './invite-store.ts'
import type { MemberStores, Role } from './member-store.ts'

/** Returns true if a member with this role may invite people to `invited`: an admin is made by owners only. */
export function mayInviteAs(role: Role, invited: Invite['role']): boolean {
  return role === 'OWNER' || (role === 'ADMIN' && invited === 'MEMBER')
}

/**
 * Returns true while whoever sent or renewed an invitation may still do so. Invitations of somebody who loses the role
 * are removed; this holds as well when a crash has kept them, and for those of the first release.
 */
export async function isBacked(
  { members }: MemberStores,
  { teamId, invitedBy, role }: Pick<Invite, 'teamId' | 'invitedBy' | 'role'>,
): Promise<boolean> {
  const inviter = invitedBy === null ? null : await members.find(teamId, invitedBy)
  return inviter !== null && mayInviteAs(inviter.role, role)
}

/** Those of the invitations that are still backed. */
export async function backedInvites(ctx: MemberStores, invites: readonly Invite[]): Promise<Invite[]> {
  const backed = await Promise.all(invites.map((invite) => isBacked(ctx, invite)))
  return invites.filter((_, index) => backed[index])
}
