import type { NoInput } from '../accounts/schema.ts'
import type { OwnInvites } from './schema.ts'
import { inviteUrl } from './present-team.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { InviteStores } from './invite-store.ts'
import type { TeamStores } from './store.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** The pending invitations to the caller's address, newest first. */
export async function listInvites(
  ctx: Call & InviteStores & TeamStores & InviteTokenServices & PublicAddress,
  _: NoInput,
): Promise<OwnInvites> {
  const invites = await ctx.invites.listPending(ctx.actor.account.email, ctx.now())
  const teams = new Map((await ctx.teams.byIds(invites.map(({ teamId }) => teamId))).map((team) => [team.id, team]))
  return {
    invites: invites.flatMap(({ id, teamId, role, expiresAt }) => {
      const team = teams.get(teamId)
      if (!team) return []
      return [{ id, teamId, teamName: team.name, role, expiresAt: expiresAt.toISOString(), url: inviteUrl(ctx, id) }]
    }),
  }
}
