import type { Context, Services } from '../core/context.ts'
import { endPlaces } from './leave-team.ts'
import { requireRole } from './require-member.ts'
import type { OneTeam, Success } from './schema.ts'

/** Deletes a team with its departments, shares and invitations, for its owners. The books stay with those who own them. */
export async function deleteTeam(ctx: Context, { teamId }: OneTeam): Promise<Success> {
  await requireRole(ctx, teamId, ['OWNER'])
  await ctx.teams.announceRemoval(teamId, ctx.now())
  await removeTeam(ctx, teamId)
  return { success: true }
}

type Stores = Pick<Services, 'teams' | 'members' | 'departments' | 'shares' | 'invites' | 'manuscripts' | 'now'>

/** Removes a team that has been announced to go. Its members lose access first; repeating it finishes what a crash left. */
export async function removeTeam(stores: Stores, teamId: string): Promise<void> {
  const { teams, members, departments, shares, invites, now } = stores
  await invites.removeTeam(teamId)
  await members.announceLeaving(teamId, null, now())
  await endPlaces(stores, await members.leavingOf(teamId))
  await shares.removeTeam(teamId)
  await departments.removeTeam(teamId)
  await teams.remove(teamId)
}
