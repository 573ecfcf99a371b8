import type { NoInput } from '../accounts/schema.ts'
import type { TeamList } from './schema.ts'
import { presentTeams } from './present-team.ts'
import type { Call } from '../core/context.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'
import type { TeamStores } from './store.ts'

/** The caller's teams, sorted by name. */
export async function listTeams(
  ctx: Call & MemberStores & TeamStores & DepartmentStores & ShareStores,
  _: NoInput,
): Promise<TeamList> {
  return { teams: await presentTeams(ctx, await ctx.members.listByAccount(ctx.actor.id)) }
}
