import type { NoInput } from '../accounts/schema.ts'
import type { OwnInvites } from './schema.ts'
import { withAuthorizedInviter } from './inviter-role.ts'
import { inviteUrl } from './present-team.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { InviteStores } from './invite-store.ts'
import type { MemberStores } from './member-store.ts'
import type { TeamStores } from './store.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** The pending invitations to the caller's address, newest first; none while the address is unproven. */
export async function listInvites(
  ctx: Call & InviteStores & MemberStores & TeamStores & InviteTokenServices & PublicAddress,
  _: NoInput,
): Promise<OwnInvites> {
  const { email, emailProvenAt } = ctx.actor.account
  if (!emailProvenAt) return { invites: [], note: unprovenNote(ctx) }
  const invites = await withAuthorizedInviter(ctx, await ctx.invites.listPending(email, ctx.now()))
  const teams = new Map((await ctx.teams.byIds(invites.map(({ teamId }) => teamId))).map((team) => [team.id, team]))
  return {
    invites: invites.flatMap(({ id, teamId, role, expiresAt }) => {
      const team = teams.get(teamId)
      if (!team) return []
      return [
        { id, teamId, teamName: team.name, role, expiresAt: expiresAt.toISOString(), url: inviteUrl(ctx, id, 'shown') },
      ]
    }),
  }
}

function unprovenNote({ baseUrl }: PublicAddress): string {
  return `Your email address is not confirmed, so invitations are not listed. Confirm it at ${baseUrl}/account, or open the link of an invitation.`
}
