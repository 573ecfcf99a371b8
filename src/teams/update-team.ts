import { requireRole } from './require-member.ts'
import type { TeamResult, UpdateTeam } from './schema.ts'
import { showTeam } from './present-team.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/** Gives a team another name; for its owners. */
export async function updateTeam(
  ctx: Call & TeamStores & MemberStores,
  { teamId, name }: UpdateTeam,
): Promise<TeamResult> {
  const place = await requireRole(ctx, teamId, ['OWNER'])
  await ctx.teams.change(teamId, { name })
  return { team: await showTeam(ctx, { ...place, team: { ...place.team, name } }) }
}
