import type { NoInput } from '../accounts/schema.ts'
import type { Context } from '../core/context.ts'
import type { TeamList } from './schema.ts'
import { showTeams } from './show-team.ts'

/** The teams that the caller is in, by name. */
export async function listTeams(ctx: Context, _: NoInput): Promise<TeamList> {
  return { teams: await showTeams(ctx, await ctx.members.of(ctx.actor.id)) }
}
