import type { Mailer, MailMessage } from '../mail/mailer.ts'
import { AppError } from '../core/errors.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import { createAccount } from './create-account.ts'
import type { AcceptInvitationInput } from './credentials-schema.ts'
import type { AccountEventServices } from './events.ts'
import type { AuditServices } from './audit.ts'
import { issueLink } from './issue-link.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { PlanServices } from './plans.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import { startSession, type Browser } from './sign-in.ts'
import type { AccountStores } from './store.ts'
import { ticketTtlMs, type TicketStores } from './ticket-store.ts'
import type { WebSessionStores } from './web-session-store.ts'

type Stores = Clock & AttemptServices & AccountStores & PublicAddress & TicketStores

/**
 * Mails a link for creating an account to an address; an existing account is notified by mail instead. Neither the
 * answer nor its timing reveals which, because the lookup happens afterwards. Refuses too many requests per client, per
 * address or in all with RATE_LIMITED.
 */
export async function requestSignUp(
  { mail, ...stores }: Stores & { mail: Mailer },
  email: string,
  clientAddress: string,
): Promise<void> {
  await stores.attemptLimiter.consume('sign_up', clientAddress)
  await stores.attemptLimiter.consume('confirm_mail', email)
  await stores.attemptLimiter.consume('open_sign_up_in_all', '')
  mail.composeAndSend(() => composeSignUpMail(stores, email))
}

async function composeSignUpMail(stores: Stores, email: string): Promise<MailMessage | null> {
  const { baseUrl } = stores
  const account = await stores.accounts.byEmail(email)
  if (account?.suspendedAt) return null
  if (account) return { to: email, subject: 'You already have a Lectern account', text: existingAccountText(baseUrl) }
  const { url } = await issueLink(stores, 'sign_up', { email })
  return { to: email, subject: 'Create your Lectern account', text: newAccountText(baseUrl, url) }
}

function newAccountText(baseUrl: string, url: string): string {
  return [
    `Somebody has asked for an account at ${baseUrl} with this email address. If it was you, follow this link to choose a password:`,
    url,
    `The link works once, within ${ticketTtlMs.sign_up / 3_600_000} hours. If it was not you, ignore this mail: no account is created.`,
  ].join('\n\n')
}

function existingAccountText(baseUrl: string): string {
  return [
    `Somebody has asked for an account at ${baseUrl} with this email address, but it already has one.`,
    `To sign in: ${baseUrl}/sign-in`,
    `To choose a new password: ${baseUrl}/reset`,
    'If it was not you, ignore this mail: your account stays as it is.',
  ].join('\n\n')
}

/** The address that a sign-up link was mailed to; null if the link was used, has expired or is unknown. */
export async function findSignUpEmail(
  { tickets, now }: Pick<Stores, 'tickets' | 'now'>,
  token: string,
): Promise<string | null> {
  return (await tickets.find('sign_up', token, now()))?.email ?? null
}

/**
 * Creates the account of a sign-up link with its password, starts a session and returns its token. Refuses an invalid
 * link with NOT_FOUND, and an address that has an account in the meantime with CONFLICT.
 */
export async function completeSignUp(
  stores: Stores & PasswordServices & PlanServices & WebSessionStores & AccountEventServices & AuditServices,
  { token, name, password }: AcceptInvitationInput & { token: string },
  browser: Browser,
): Promise<string> {
  const { tickets, now } = stores
  const email = await findSignUpEmail(stores, token)
  if (email === null) throw invalidSignUpLinkError()
  await requireStrongPassword(password, email)
  const hash = await stores.passwords.hash(password)
  if (!(await tickets.redeem('sign_up', token, now()))) throw invalidSignUpLinkError()
  const account = await createAccount(stores, { email, name }, { password: hash, emailProven: true }).catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error
    throw new AppError('CONFLICT', 'This address already has an account. Sign in, or choose a new password.')
  })
  await stores.audit.record({ type: 'account_created', by: { ...browser, actorId: account.id } })
  await stores.accountEvents.emailProven(account)
  return startSession(stores, account, browser)
}

/** The refusal of a sign-up link that was used, has expired or never existed. */
function invalidSignUpLinkError(): AppError {
  return new AppError(
    'NOT_FOUND',
    'This link has been used or has expired. Sign in, or sign up again to get a new one.',
  )
}
