import type { Context } from '../core/context.ts'
import { requireRole } from './require-member.ts'
import type { TeamResult, UpdateTeam } from './schema.ts'
import { showTeam } from './show-team.ts'

/** Gives a team another name; for its owners. */
export async function updateTeam(ctx: Context, { teamId, name }: UpdateTeam): Promise<TeamResult> {
  const place = await requireRole(ctx, teamId, ['OWNER'])
  await ctx.teams.change(teamId, { name })
  return { team: await showTeam(ctx, { ...place, team: { ...place.team, name } }) }
}
