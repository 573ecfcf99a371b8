import type { Member, MemberStores } from './member-store.ts'
import { isManager, type Membership } from './require-member.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'
import type { Team as PresentedTeam } from './schema.ts'
import type { Team, TeamStores } from './store.ts'
import type { PublicAddress } from '../core/context.ts'
import type { InviteLinkKind, InviteTokenServices } from './invite-tokens.ts'

/** Teams in a list, sorted by name, each with the role of the member and the numbers of what they can see. */
export async function presentTeams(
  ctx: TeamStores & TeamCounters,
  members: readonly Member[],
): Promise<PresentedTeam[]> {
  if (members.length === 0) return []
  const ids = members.map(({ teamId }) => teamId)
  const [teams, counts] = await Promise.all([ctx.teams.byIds(ids), countFor(ctx, members)])
  const presented = members.flatMap((member) => {
    const team = teams.find(({ id }) => id === member.teamId)
    return team ? [presentAs(member, team, counts)] : []
  })
  return presented.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
}

/** One team, as in the list. */
export async function presentTeam(ctx: TeamCounters, { team, member }: Membership): Promise<PresentedTeam> {
  return presentAs(member, team, await countFor(ctx, [member]))
}

type TeamCounters = MemberStores & DepartmentStores & ShareStores

type Counts = Record<'members' | 'departments' | 'shares', Map<string, number>>

/** The numbers of what members can see of their teams, by team id. */
async function countFor(ctx: TeamCounters, memberships: readonly Member[]): Promise<Counts> {
  const ids = memberships.map(({ teamId }) => teamId)
  const [members, departments, shares] = await Promise.all([
    ctx.members.countByTeam(ids),
    ctx.departments.countByTeam(ids),
    ctx.shares.countVisible(memberships),
  ])
  return { members, departments, shares }
}

function presentAs(member: Member, { id, name }: Pick<Team, 'id' | 'name'>, counts: Counts): PresentedTeam {
  return {
    id,
    name,
    role: member.role,
    memberCount: counts.members.get(id) ?? 0,
    seatLimit: null,
    departmentCount: isManager({ member }) ? (counts.departments.get(id) ?? 0) : member.departments.length,
    itemCount: counts.shares.get(id) ?? 0,
  }
}

/** The URL of the page that lists a person's invitations. */
export function invitesPageUrl(ctx: PublicAddress): string {
  return `${ctx.baseUrl}/invites`
}

/** The URL of an invitation; only for the invitee and for OWNER and ADMIN. */
export function inviteUrl(ctx: InviteTokenServices & PublicAddress, inviteId: string, kind: InviteLinkKind): string {
  return `${invitesPageUrl(ctx)}/${ctx.inviteTokens.tokenFor(inviteId, kind)}`
}
