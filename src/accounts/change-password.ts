import { AppError } from '../core/errors.ts'
import type { ChangePassword, ResetPassword } from './credentials-schema.ts'
import { clearPasswordAttempts, confirmPassword } from './check-password.ts'
import { endUnprovenCredentials, proveEmail } from './prove-email.ts'
import { startCheckedSession, type Browser } from './sign-in.ts'
import { invalidLinkError } from './sign-up.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import type { Account } from '../core/account.ts'
import type { Call, Clock } from '../core/context.ts'
import type { AccountEventServices } from './events.ts'
import type { OauthStores } from './oauth-store.ts'
import { revokeAccess } from './revoke-access.ts'
import type { AccountStores } from './store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { WebSessionStores } from './web-session-store.ts'
import type { TicketStores } from './ticket-store.ts'
import type { AuditServices } from './audit.ts'

/**
 * Replaces the caller's password, ends all sessions, removes the account's pending links, and returns the token of a
 * new session. With `revokeAccess`, also revokes its keys and disconnects its apps. Refuses a wrong current password or
 * a weak new one with INVALID_INPUT, a concurrent change with CONFLICT.
 */
export async function changePassword(
  ctx: Call &
    AccountStores &
    PasswordServices &
    AttemptServices &
    WebSessionStores &
    TicketStores &
    OauthStores &
    AuditServices,
  { current, password, revokeAccess: revokes }: ChangePassword,
  browser: Browser,
): Promise<string> {
  const { account } = ctx.actor
  const { id, email, name } = account
  await requireStrongPassword(password, email, name)
  const stored = await confirmPassword(ctx, current)
  // Done before the change, so that the form can be sent again after a crash; and again after it, for access that was
  // granted in the meantime.
  if (revokes) await revokeAccess(ctx, id)
  const hash = await ctx.passwords.hash(password)
  if (!(await ctx.accounts.setPassword(id, hash, stored))) throw changedMeanwhileError()
  await ctx.webSessions.endAll(id)
  await ctx.tickets.removeAccount(id)
  if (revokes) await revokeAccess(ctx, id)
  await ctx.audit.record({ type: 'password_changed', by: ctx, detail: { revokedAccess: revokes } })
  const token = await startCheckedSession(ctx, { account, password, stored: hash }, browser)
  if (token === null) throw changedMeanwhileError()
  return token
}

function changedMeanwhileError(): AppError {
  return new AppError('CONFLICT', 'Another session has just changed the password. Sign in with the new one.')
}

type ResetStores = Clock &
  AccountStores &
  AccountEventServices &
  OauthStores &
  TicketStores &
  PasswordServices &
  WebSessionStores &
  AttemptServices &
  AuditServices

/** The account whose password a reset link changes; null if the link was used, has expired or is unknown. */
export async function findResetAccount(
  { tickets, accounts, now }: Pick<ResetStores, 'tickets' | 'accounts' | 'now'>,
  token: string,
): Promise<Account | null> {
  const ticket = await tickets.find('reset', token, now())
  return ticket?.accountId ? await accounts.byId(ticket.accountId) : null
}

/**
 * Replaces the password of a reset link's account, ends all its sessions, removes its pending links, resets its count
 * of wrong passwords and proves its address. If the address was unproven, its API keys and connected apps end too.
 * Returns the account; refuses an invalid link with NOT_FOUND.
 */
export async function resetPassword(
  stores: ResetStores,
  { token, password, revokeAccess: revokes }: ResetPassword & { token: string },
  browser: Browser,
): Promise<Account> {
  const { accounts, tickets, now } = stores
  const account = await findResetAccount(stores, token)
  if (!account) throw invalidLinkError('reset')
  await requireStrongPassword(password, account.email, account.name)
  const hash = await stores.passwords.hash(password)
  const ticket = await tickets.redeem('reset', token, now())
  if (!ticket?.accountId) throw invalidLinkError('reset')
  if (revokes) await revokeAccess(stores, account.id)
  await accounts.setPassword(account.id, hash)
  await stores.webSessions.endAll(account.id)
  await tickets.removeAccount(account.id)
  if (revokes) await revokeAccess(stores, account.id)
  await endUnprovenCredentials(stores, account)
  await proveEmail(stores, account)
  await clearPasswordAttempts(stores, account, browser)
  const by = { ...browser, actorId: account.id }
  await stores.audit.record({ type: 'password_reset', by, detail: { revokedAccess: revokes } })
  return account
}
