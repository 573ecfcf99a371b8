import { startSession, type Browser } from '../accounts/sign-in.ts'
import { registerAccount } from '../accounts/sign-up.ts'
import { AppError } from '../core/errors.ts'
import type { AccountEventServices } from '../accounts/events.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
import { canSignUpWithLink, provesEmail, signUpAdvice } from './invite-links.ts'
import { joinTeam } from './answer-invite.ts'
import { inviteNotFoundError, findPendingInvite } from './find-invite.ts'
import type { AuditServices } from '../accounts/audit.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { InviteStores } from './invite-store.ts'
import type { TeamStores } from './store.ts'
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
 * Creates an account for the address of an invitation and adds it to the team; signing up accepts the invitation. With a
 * link that proves the address, also starts a session and returns its token. With another link it returns null, as if
 * the address had an account already: that account is left unchanged and must accept the invitation itself. Refuses with
 * FORBIDDEN a link that creates no accounts.
 */
export async function signUpWithInvite(
  services: Clock &
    AccountStores &
    AccountEventServices &
    InviteStores &
    TeamStores &
    SignUpSettings &
    MailServices &
    PublicAddress &
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
  browser: Browser,
): Promise<string | null> {
  const { clientAddress } = browser
  const found = await findPendingInvite(services, token)
  if (!found) throw inviteNotFoundError()
  const { kind, invite } = found
  if (!canSignUpWithLink(services, kind))
    throw new AppError('FORBIDDEN', `This link creates no account. ${signUpAdvice(services)}`)
  const emailProven = provesEmail(kind)
  const account = await registerAccount(
    services,
    { email: invite.email, name, password },
    { clientAddress, emailProven },
  )
  if (!account) return null
  const team = await joinTeam(services, token, account)
  const by = { clientAddress, actorId: account.id }
  if (team !== null) await services.audit.record({ type: 'member_joined', by, detail: { team } })
  if (!emailProven) return null
  await services.accountEvents.emailProven(account)
  return startSession(services, account, browser)
}
