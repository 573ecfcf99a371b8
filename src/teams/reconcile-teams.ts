import { completeJoining } from './answer-invite.ts'
import { completeCreation } from './create-team.ts'
import { removeDepartment } from './delete-department.ts'
import { removeTeam } from './delete-team.ts'
import { removeLeavers } from './leave-team.ts'
import type { Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { InviteStores } from './invite-store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { ShareStores } from './share-store.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/**
 * Completes what crashes have interrupted before `before`: creating and removing teams and departments, joining and
 * leaving.
 */
export async function reconcileTeams(
  services: Clock &
    TeamStores &
    MemberStores &
    DepartmentStores &
    InviteStores &
    TeamManuscriptStores &
    ShareStores &
    InviteTokenServices,
  before: Date,
): Promise<void> {
  const { teams, members, departments, invites } = services
  for await (const team of teams.listStalePending(before)) {
    if (team.pending?.kind === 'founding') await completeCreation(services, team)
    else await removeTeam(services, team.id)
  }
  await removeLeavers(services, await members.listStaleLeaving(before))
  for (const department of await departments.listStaleRemovals(before)) await removeDepartment(services, department)
  for (const invite of await invites.listStaleJoining(before)) await completeJoining(services, invite)
}
