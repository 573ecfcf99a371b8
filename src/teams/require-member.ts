import { AppError } from '../core/errors.ts'
import type { Member, Role, MemberStores } from './member-store.ts'
import type { Team, TeamStores } from './store.ts'
import type { Call } from '../core/context.ts'

/** A team and the caller's row in it. */
export interface Membership {
  team: Team
  member: Member
}

/** The caller's membership in a team. Throws NOT_A_TEAM_MEMBER if they are not in it or it does not exist. */
export async function requireMember(ctx: Call & TeamStores & MemberStores, teamId: string): Promise<Membership> {
  const membership = await findMembership(ctx, teamId)
  if (!membership) throw notAMemberError()
  return membership
}

/** The caller's membership in a team; null if they are not in it or it does not exist. */
export async function findMembership(
  ctx: Call & TeamStores & MemberStores,
  teamId: string,
): Promise<Membership | null> {
  const [team, member] = await Promise.all([ctx.teams.byId(teamId), ctx.members.find(teamId, ctx.actor.id)])
  return team && member && { team, member }
}

/** The error for a team that the caller is not in or that does not exist; the two cases are indistinguishable. */
export function notAMemberError(): AppError {
  return new AppError('NOT_A_TEAM_MEMBER', 'You are not a member of this team. List yours with GET /api/v1/teams.')
}

/**
 * The caller's membership if they have one of these roles. Throws FORBIDDEN_ROLE otherwise, before any other check of
 * the request.
 */
export async function requireRole(
  ctx: Call & TeamStores & MemberStores,
  teamId: string,
  roles: readonly Role[],
): Promise<Membership> {
  const membership = await requireMember(ctx, teamId)
  if (!roles.includes(membership.member.role))
    throw forbiddenRoleError(`This needs the role ${roles.join(' or ')}`, membership)
  return membership
}

/** The roles that manage a team. */
export const managerRoles: readonly Role[] = ['OWNER', 'ADMIN']

/** True for OWNER and ADMIN, who see everything in the team. */
export function isManager({ member }: Pick<Membership, 'member'>): boolean {
  return managerRoles.includes(member.role)
}

/** The error for an action that the caller's role does not allow; `what` states the required roles. */
export function forbiddenRoleError(what: string, { member }: Pick<Membership, 'member'>): AppError {
  return new AppError('FORBIDDEN_ROLE', `${what}; your role in this team is ${member.role}. Ask an owner of the team.`)
}
