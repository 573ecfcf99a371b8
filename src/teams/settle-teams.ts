import type { Services } from '../core/context.ts'
import { settleJoining } from './answer-invite.ts'
import { settleFounding } from './create-team.ts'
import { removeDepartment } from './delete-department.ts'
import { removeTeam } from './delete-team.ts'
import { endPlaces } from './leave-team.ts'

/** Finishes what crashes have cut off since before `before`: teams and people that were coming or going. */
export async function settleTeams(services: Services, before: Date): Promise<void> {
  const { teams, members, departments, invites } = services
  for await (const team of teams.unsettled(before)) {
    if (team.pending?.kind === 'founding') await settleFounding(services, team)
    else await removeTeam(services, team.id)
  }
  await endPlaces(services, await members.leaving(before))
  for (const department of await departments.removing(before)) await removeDepartment(services, department)
  for (const invite of await invites.joining(before)) await settleJoining(services, invite)
}
