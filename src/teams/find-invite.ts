import { AppError } from '../core/errors.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import type { Team, TeamStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

type Stores = Clock & InviteStores & InviteTokenServices & TeamStores

/** The invitation of a link, with its team, also when it was answered or has expired; null for an invalid link. */
export async function findInviteByToken(
  { invites, inviteTokens, teams }: Stores,
  token: string,
): Promise<{ invite: Invite; team: Team } | null> {
  const id = inviteTokens.verify(token)
  const invite = id === null ? null : await invites.byId(id)
  const team = invite && (await teams.byId(invite.teamId))
  return invite && team ? { invite, team } : null
}

/** The invitation of a link if it can still be accepted; otherwise null. */
export async function findPendingInvite(stores: Stores, token: string): Promise<{ invite: Invite; team: Team } | null> {
  const found = await findInviteByToken(stores, token)
  return found && found.invite.status === 'PENDING' && found.invite.expiresAt > stores.now() ? found : null
}

/** The error for an invitation that the caller cannot answer. */
export function inviteNotFoundError(): AppError {
  const message =
    'Invitation not found: it was revoked, answered, has expired, or is for another email address. Ask for a new one.'
  return new AppError('NOT_FOUND', message)
}
