import { requireMember } from './require-member.ts'
import type { CreateTeam, TeamResult } from './schema.ts'
import { presentTeam } from './present-team.ts'
import type { AuditServices } from '../accounts/audit.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'

/** Creates a team with the caller as its owner. */
export async function createTeam(
  ctx: Call & TeamStores & MemberStores & DepartmentStores & ShareStores & AuditServices,
  { name }: CreateTeam,
): Promise<TeamResult> {
  const id = await createTeamWithOwner(ctx, { id: ctx.newId(), name, ownerId: ctx.actor.id })
  await ctx.audit.record({ type: 'team_created', by: ctx, detail: { team: id } })
  return { team: await presentTeam(ctx, await requireMember(ctx, id)) }
}

type Stores = Clock & TeamStores & MemberStores

/** Creates a team and returns its id. Idempotent; the sweep completes one that a crash interrupted. */
export async function createTeamWithOwner(
  stores: Stores,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): Promise<string> {
  const createdAt = stores.now()
  const pending = { kind: 'founding' as const, at: createdAt }
  await stores.teams.add({ id, name, subscriptionActive: true, ownerIds: [ownerId], createdAt, pending })
  await completeCreation(stores, { id, ownerIds: [ownerId], createdAt })
  return id
}

/** Adds the founders of a team as its first members. */
export async function completeCreation(
  { teams, members }: Pick<Stores, 'teams' | 'members'>,
  { id: teamId, ownerIds, createdAt: joinedAt }: { id: string; ownerIds: readonly string[]; createdAt: Date },
): Promise<void> {
  for (const accountId of ownerIds) {
    await members.add({ teamId, accountId, role: 'OWNER', departments: [], joinedAt, leavingAt: null })
  }
  await teams.confirmCreation(teamId)
}
