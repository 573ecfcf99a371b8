import { AppError } from '../core/errors.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import type { Team, TeamStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { InviteLinkKind, InviteTokenServices } from './invite-tokens.ts'
import type { MemberStores } from './member-store.ts'
import { hasAuthorizedInviter } from './inviter-role.ts'

type Stores = Clock & InviteStores & InviteTokenServices & TeamStores & MemberStores

/** The invitation of a link. */
export interface FoundInvite {
  invite: Invite
  team: Team
  /** How the bearer obtained the link. */
  kind: InviteLinkKind
}

/**
 * The invitation of a link, with its team, even if it was answered or has expired. Null for an invalid link, and for a
 * pending invitation whose sender may no longer invite.
 */
export async function findInviteByToken(stores: Stores, token: string): Promise<FoundInvite | null> {
  const { invites, inviteTokens, teams } = stores
  const verified = inviteTokens.verify(token)
  const invite = verified && (await invites.byId(verified.inviteId))
  const team = invite && (await teams.byId(invite.teamId))
  if (!invite || !team) return null
  if (invite.status === 'PENDING' && !(await hasAuthorizedInviter(stores, invite))) return null
  return { invite, team, kind: verified.kind }
}

/** The invitation of a link if it can still be accepted; otherwise null. */
export async function findPendingInvite(stores: Stores, token: string): Promise<FoundInvite | null> {
  const found = await findInviteByToken(stores, token)
  return found && found.invite.status === 'PENDING' && found.invite.expiresAt > stores.now() ? found : null
}

/** The error for an invitation that the caller cannot answer. */
export function inviteNotFoundError(): AppError {
  const message =
    'Invitation not found: it was revoked, answered, has expired, or is for another email address. Ask for a new one.'
  return new AppError('NOT_FOUND', message)
}
