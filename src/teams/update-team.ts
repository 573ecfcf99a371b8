import { requireRole } from './require-member.ts'
import type { TeamResult, UpdateTeam } from './schema.ts'
import { presentTeam } from './present-team.ts'
import type { Call } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'

/** Renames a team; for OWNER. */
export async function updateTeam(
  ctx: Call & TeamStores & MemberStores & DepartmentStores & ShareStores,
  { teamId, name }: UpdateTeam,
): Promise<TeamResult> {
  const membership = await requireRole(ctx, teamId, ['OWNER'])
  await ctx.teams.change(teamId, { name })
  return { team: await presentTeam(ctx, { ...membership, team: { ...membership.team, name } }) }
}
