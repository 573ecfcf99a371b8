import { AppError } from '../core/errors.ts'
import type { ChangePassword } from './credentials-schema.ts'
import { endUnprovenCredentials, proveEmail } from './prove-email.ts'
import { invalidLinkError } from './sign-up.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import type { Account } from '../core/account.ts'
import type { Call, Clock } from '../core/context.ts'
import type { AccountEventServices } from './events.ts'
import type { OauthStores } from './oauth-store.ts'
import type { AccountStores } from './store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { WebSessionStores } from './web-session-store.ts'
import type { TicketStores } from './ticket-store.ts'

/**
 * Replaces the caller's password, ends all other sessions and removes the account's pending links. Refuses a wrong
 * current password or a weak new one with INVALID_INPUT, a concurrent change with CONFLICT.
 */
export async function changePassword(
  ctx: Call & AccountStores & PasswordServices & AttemptServices & WebSessionStores & TicketStores,
  { current, password }: ChangePassword,
): Promise<void> {
  const { accounts, passwords, attemptLimiter } = ctx
  const { id, email } = ctx.actor.account
  requireStrongPassword(password, email)
  await attemptLimiter.consume('password', email)
  const storedHash = (await accounts.findWithPassword(email))?.password ?? null
  const { ok } = await passwords.verify(current, storedHash)
  if (!ok || storedHash === null) {
    throw new AppError('INVALID_INPUT', 'This is not your current password.', { details: { field: 'current' } })
  }
  await attemptLimiter.reset('password', email)
  if (!(await accounts.setPassword(id, await passwords.hash(password), storedHash))) {
    throw new AppError('CONFLICT', 'Another session has just changed the password. Sign in with the new one.')
  }
  await ctx.webSessions.endAll(id, { exceptId: ctx.actor.credential.id })
  await ctx.tickets.removeAccount(id)
}

type ResetStores = Clock &
  AccountStores &
  AccountEventServices &
  OauthStores &
  TicketStores &
  PasswordServices &
  WebSessionStores &
  AttemptServices

/** The account whose password a reset link changes; null when the link was used, has expired or is unknown. */
export async function findResetAccount(
  { tickets, accounts, now }: Pick<ResetStores, 'tickets' | 'accounts' | 'now'>,
  token: string,
): Promise<Account | null> {
  const ticket = await tickets.find('reset', token, now())
  return ticket?.accountId ? await accounts.byId(ticket.accountId) : null
}

/**
 * Replaces the password of a reset link's account, ends all its sessions, removes its pending links and proves its
 * address. If that was unproven, its API keys and connected apps end too. Refuses an invalid link with NOT_FOUND.
 */
export async function resetPassword(
  stores: ResetStores,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { accounts, tickets, now } = stores
  const found = await findResetAccount(stores, token)
  if (!found) throw invalidLinkError('reset')
  requireStrongPassword(password, found.email)
  const hash = await stores.passwords.hash(password)
  const ticket = await tickets.redeem('reset', token, now())
  if (!ticket?.accountId) throw invalidLinkError('reset')
  await accounts.setPassword(ticket.accountId, hash)
  await stores.webSessions.endAll(ticket.accountId)
  await tickets.removeAccount(ticket.accountId)
  await endUnprovenCredentials(stores, found)
  await proveEmail(stores, found)
  await stores.attemptLimiter.reset('password', found.email)
}
