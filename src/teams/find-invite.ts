import { AppError } from '../core/errors.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import type { Team, TeamStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

type Stores = Clock & InviteStores & InviteTokenServices & TeamStores

/** The invitation behind a link, with its team: also one that was answered or has expired. Null for a link that leads nowhere. */
export async function findInviteByToken(
  { invites, inviteTokens, teams }: Stores,
  token: string,
): Promise<{ invite: Invite; team: Team } | null> {
  const id = inviteTokens.verify(token)
  const invite = id === null ? null : await invites.byId(id)
  const team = invite && (await teams.byId(invite.teamId))
  return invite && team ? { invite, team } : null
}

/** The invitation behind a link that can still be accepted. */
export async function findPendingInvite(stores: Stores, token: string): Promise<{ invite: Invite; team: Team } | null> {
  const found = await findInviteByToken(stores, token)
  return found && found.invite.status === 'PENDING' && found.invite.expiresAt > stores.now() ? found : null
}

/** The refusal of an invitation that is not there for the caller. */
export function inviteNotFoundError(): AppError {
  const message =
    'Invitation not found: it was taken back, answered or has expired, or it is for another address than yours.'
  return new AppError('NOT_FOUND', message)
}
