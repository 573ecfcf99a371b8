import type { Member, MemberStores } from './member-store.ts'
import type { Membership } from './require-member.ts'
import type { Team as PresentedTeam } from './schema.ts'
import type { TeamStores } from './store.ts'
import type { PublicAddress } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** Teams as the list shows them, by name, each with the caller's role and its members counted. */
export async function presentTeams(
  ctx: TeamStores & MemberStores,
  members: readonly Member[],
): Promise<PresentedTeam[]> {
  if (members.length === 0) return []
  const ids = members.map(({ teamId }) => teamId)
  const [teams, counts] = await Promise.all([ctx.teams.byIds(ids), ctx.members.countByTeam(ids)])
  const roles = new Map(members.map(({ teamId, role }) => [teamId, role]))
  const presented = teams.map(({ id, name }): PresentedTeam => {
    return { id, name, role: roles.get(id) ?? 'MEMBER', memberCount: counts.get(id) ?? 0 }
  })
  return presented.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
}

/** One team as the list shows it. */
export async function presentTeam(ctx: MemberStores, { team, member }: Membership): Promise<PresentedTeam> {
  const counts = await ctx.members.countByTeam([team.id])
  return { id: team.id, name: team.name, role: member.role, memberCount: counts.get(team.id) ?? 0 }
}

/** The page on which people see what teams they are invited to. */
export function invitesPageUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/invites`
}

/** The address of an invitation, for whoever it is for and those who run the team. */
export function inviteUrl(ctx: InviteTokenServices & PublicAddress, inviteId: string): string {
  return `${invitesPageUrl(ctx)}/${ctx.inviteTokens.tokenFor(inviteId)}`
}
