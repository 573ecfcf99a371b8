import { removeLeavers } from './leave-team.ts'
import { requireRole } from './require-member.ts'
import type { TeamRef, Success } from './schema.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'
import type { InviteStores } from './invite-store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { AuditServices } from '../accounts/audit.ts'

/** Deletes a team with its departments, shares and invitations; for OWNER. The books stay with their owners. */
export async function deleteTeam(ctx: Call & Stores & AuditServices, { teamId }: TeamRef): Promise<Success> {
  await requireRole(ctx, teamId, ['OWNER'])
  await ctx.teams.markRemoving(teamId, ctx.now())
  await removeTeam(ctx, teamId)
  await ctx.audit.record({ type: 'team_deleted', by: ctx, detail: { team: teamId } })
  return { success: true }
}

type Stores = Clock & TeamStores & MemberStores & DepartmentStores & ShareStores & InviteStores & TeamManuscriptStores

/**
 * Removes a team that is marked as removing. Its members lose access first. Idempotent: a repeat completes an
 * interrupted removal.
 */
export async function removeTeam(stores: Stores, teamId: string): Promise<void> {
  const { teams, members, departments, shares, invites, now } = stores
  await invites.removeTeam(teamId)
  await members.markLeaving(teamId, null, now())
  await removeLeavers(stores, await members.listLeaving(teamId))
  await shares.removeTeam(teamId)
  await departments.removeTeam(teamId)
  await teams.remove(teamId)
}
