import type { Member, MemberStores } from './member-store.ts'
import type { Membership } from './require-member.ts'
import type { Team as PresentedTeam } from './schema.ts'
import type { TeamStores } from './store.ts'
import type { PublicAddress } from '../core/context.ts'
import type { InviteLinkKind, InviteTokenServices } from './invite-tokens.ts'

/** Teams in a list, sorted by name, each with the caller's role and the number of members. */
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

/** One team, as in the list. */
export async function presentTeam(ctx: MemberStores, { team, member }: Membership): Promise<PresentedTeam> {
  const counts = await ctx.members.countByTeam([team.id])
  return { id: team.id, name: team.name, role: member.role, memberCount: counts.get(team.id) ?? 0 }
}

/** The URL of the page that lists a person's invitations. */
export function invitesPageUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/invites`
}

/** The URL of an invitation; only for the invitee and for OWNER and ADMIN. */
export function inviteUrl(ctx: InviteTokenServices & PublicAddress, inviteId: string, kind: InviteLinkKind): string {
  return `${invitesPageUrl(ctx)}/${ctx.inviteTokens.tokenFor(inviteId, kind)}`
}
