import { AppError } from '../core/errors.ts'
import type { Member, Role, MemberStores } from './member-store.ts'
import type { Team, TeamStores } from './store.ts'
import type { Call } from '../core/context.ts'

/** A team and the caller's place in it. */
export interface Membership {
  team: Team
  member: Member
}

/** The caller's place in a team. Refuses a team that they are not in, and one that is not there, with NOT_A_TEAM_MEMBER. */
export async function requireMember(ctx: Call & TeamStores & MemberStores, teamId: string): Promise<Membership> {
  const [team, member] = await Promise.all([ctx.teams.byId(teamId), ctx.members.find(teamId, ctx.actor.id)])
  if (!team || !member) throw notAMemberError()
  return { team, member }
}

/** The refusal of a team that somebody is not in, or that is not there: both look the same. */
export function notAMemberError(): AppError {
  return new AppError('NOT_A_TEAM_MEMBER', 'You are not a member of this team. GET /api/v1/teams names yours.')
}

/** The same for those who hold one of these roles; others are refused with FORBIDDEN_ROLE, whatever else they ask for. */
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

/** The roles that run a team. */
export const managerRoles: readonly Role[] = ['OWNER', 'ADMIN']

/** True for those who run a team: they see all of it. */
export function isManager({ member }: Pick<Membership, 'member'>): boolean {
  return managerRoles.includes(member.role)
}

/** The refusal of what somebody with this role may not do. */
export function forbiddenRoleError(what: string, { member }: Pick<Membership, 'member'>): AppError {
  return new AppError('FORBIDDEN_ROLE', `${what}; your role in this team is ${member.role}. Ask an owner of it.`)
}
