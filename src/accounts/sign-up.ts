import { AppError } from '../core/errors.ts'
import { createAccount } from './create-account.ts'
import type { AccountEventServices } from './events.ts'
import { proveEmail } from './prove-email.ts'
import type { AcceptInvitationInput, SignUpInput } from './credentials-schema.ts'
import { startSession, type Browser } from './sign-in.ts'
import type { Account } from '../core/account.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import type { Clock } from '../core/context.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AccountStores } from './store.ts'
import type { TicketStores } from './ticket-store.ts'
import type { WebSessionStores } from './web-session-store.ts'
import type { PlanServices } from './plans.ts'
import type { AuditServices } from './audit.ts'

type Stores = Clock &
  AttemptServices &
  PasswordServices &
  AccountStores &
  TicketStores &
  WebSessionStores &
  PlanServices &
  AuditServices

interface Registration {
  /** The client that signs up, for the attempt limit. */
  clientAddress: string
  /** True if the sign-up link was mailed to the address or handed over by an administrator. */
  emailProven: boolean
}

/**
 * Creates an account with a password; null if the address already has one. In that case the account stays unchanged,
 * and the caller must not reveal it.
 */
export async function registerAccount(
  stores: Stores,
  { email, name, password }: SignUpInput,
  { clientAddress, emailProven }: Registration,
): Promise<Account | null> {
  await stores.attemptLimiter.consume('sign_up', clientAddress)
  await requireStrongPassword(password, email, name)
  // Nobody vouches for such an address: without this limit, a client with many addresses could create accounts without end.
  if (!emailProven) await stores.attemptLimiter.consume('open_sign_up_in_all', '')
  const hash = await stores.passwords.hash(password)
  try {
    const account = await createAccount(stores, { email, name }, { password: hash, emailProven })
    await stores.audit.record({ type: 'account_created', by: { clientAddress, actorId: account.id } })
    return account
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFLICT') return null
    throw error
  }
}

/** Address and name of the invited account; null if the link was used, has expired or is unknown. */
export async function findInvitee(
  { tickets, accounts, now }: Pick<Stores, 'tickets' | 'accounts' | 'now'>,
  token: string,
): Promise<{ email: string; name: string } | null> {
  const ticket = await tickets.find('invite', token, now())
  const account = ticket?.accountId ? await accounts.byId(ticket.accountId) : null
  return account && { email: account.email, name: account.name }
}

/**
 * Accepts an invitation: sets the first password and optionally another name, starts a session and returns its token.
 * Refuses an invalid link with NOT_FOUND.
 */
export async function acceptInvitation(
  stores: Stores & AccountEventServices,
  { token, name, password }: AcceptInvitationInput & { token: string },
  browser: Browser,
): Promise<string> {
  const { accounts, tickets, now } = stores
  const invitee = await findInvitee(stores, token)
  if (!invitee) throw invalidLinkError('invitation')
  await requireStrongPassword(password, invitee.email, name ?? invitee.name)
  const hash = await stores.passwords.hash(password)
  const ticket = await tickets.redeem('invite', token, now())
  const account = ticket?.accountId ? await accounts.byId(ticket.accountId) : null
  if (!account) throw invalidLinkError('invitation')
  await accounts.setPassword(account.id, hash)
  if (name) await accounts.change(account.id, { name })
  await tickets.removeAccount(account.id)
  await proveEmail(stores, account)
  return startSession(stores, account, browser)
}

/** The refusal of an administrator's link that was used, has expired or never existed. */
export function invalidLinkError(kind: 'invitation' | 'reset'): AppError {
  const subject = kind === 'invitation' ? 'This invitation' : 'This link'
  return new AppError('NOT_FOUND', `${subject} has been used or has expired. Ask the administrator for a new one.`)
}
