import { registerAccount } from '../accounts/sign-up.ts'
import { notifyPendingInvites } from './notify-invite.ts'
import { joinTeam } from './answer-invite.ts'
import { inviteNotFoundError, findPendingInvite } from './find-invite.ts'
import type { AuditServices } from '../accounts/audit.ts'
import type { Clock } from '../core/context.ts'
import type { InvitationStores } from './notify-invite.ts'
import type { InviteTokenServices } from './invite-tokens.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { PasswordServices } from '../accounts/password-hasher.ts'
import type { TicketStores } from '../accounts/ticket-store.ts'
import type { WebSessionStores } from '../accounts/web-session-store.ts'
import type { MemberStores } from './member-store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { ShareStores } from './share-store.ts'
import type { PlanServices } from '../accounts/plans.ts'

/**
 * Creates an account for the address of an invitation and adds it to the team: signing up through the link accepts the
 * invitation. If the address has an account already, that account is left as is and must accept the invitation itself;
 * the response is the same.
 */
export async function signUpWithInvite(
  services: Clock &
    InvitationStores &
    InviteTokenServices &
    AttemptServices &
    PasswordServices &
    TicketStores &
    WebSessionStores &
    MemberStores &
    TeamManuscriptStores &
    ShareStores &
    PlanServices &
    AuditServices,
  { token, name, password }: { token: string; name?: string | undefined; password: string },
  client: string,
): Promise<void> {
  const found = await findPendingInvite(services, token)
  if (!found) throw inviteNotFoundError()
  const account = await registerAccount(services, { email: found.invite.email, name, password }, client)
  if (!account) return
  const team = await joinTeam(services, token, account)
  const by = { clientAddress: client, actorId: account.id }
  if (team !== null) await services.audit.record({ type: 'member_joined', by, detail: { team } })
  await notifyPendingInvites(services, account)
}
