import type { Context } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { memberByEmail, memberNotFound } from './find-member.ts'
import { endMembership } from './leave-team.ts'
import { requireRole } from './require-member.ts'
import type { OneMember, RemovedMember } from './schema.ts'

/** Takes somebody out of a team, or their invitation back; for owners. */
export async function removeMember(ctx: Context, { teamId, email }: OneMember): Promise<RemovedMember> {
  await requireRole(ctx, teamId, ['OWNER'])
  if (email === ctx.actor.account.email) {
    const message = 'You cannot remove yourself. To go, leave the team: POST /api/v1/teams/{teamId}/leave.'
    throw new AppError('CANNOT_REMOVE_SELF', message)
  }
  const found = await memberByEmail(ctx, teamId, email)
  if (found) await endMembership(ctx, found.member)
  else if (!(await ctx.invites.withdraw(teamId, email))) throw memberNotFound(email)
  return { success: true, member: { email } }
}
