import type { Member, MemberStores } from './member-store.ts'
import type { Place } from './require-member.ts'
import type { Team as ShownTeam } from './schema.ts'
import type { TeamStores } from './store.ts'
import type { PublicAddress } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** Teams as the list shows them, by name, each with the caller's role and its members counted. */
export async function showTeams(ctx: TeamStores & MemberStores, members: readonly Member[]): Promise<ShownTeam[]> {
  if (members.length === 0) return []
  const ids = members.map(({ teamId }) => teamId)
  const [teams, counts] = await Promise.all([ctx.teams.byIds(ids), ctx.members.counts(ids)])
  const roles = new Map(members.map(({ teamId, role }) => [teamId, role]))
  const shown = teams.map(({ id, name }): ShownTeam => {
    return { id, name, role: roles.get(id) ?? 'MEMBER', memberCount: counts.get(id) ?? 0 }
  })
  return shown.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
}

/** One team as the list shows it. */
export async function showTeam(ctx: MemberStores, { team, member }: Place): Promise<ShownTeam> {
  const counts = await ctx.members.counts([team.id])
  return { id: team.id, name: team.name, role: member.role, memberCount: counts.get(team.id) ?? 0 }
}

/** The page on which people see what teams they are invited to. */
export function invitesPage(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/invites`
}

/** The address of an invitation, for whoever it is for and those who run the team. */
export function inviteUrl(ctx: InviteTokenServices & PublicAddress, inviteId: string): string {
  return `${invitesPage(ctx)}/${ctx.inviteTokens.of(inviteId)}`
}
