import { AppError } from '../core/errors.ts'
import { requireActiveAccount } from './require-active-account.ts'
import type { Credentials } from './credentials-schema.ts'
import type { Account } from '../core/account.ts'
import type { Clock } from '../core/context.ts'
import type { AccountStores } from './store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { WebSessionStores } from './web-session-store.ts'

/** The browser of a sign-in. */
export interface Browser {
  /** Network address, for the attempt limit. */
  clientAddress: string
  userAgent: string | null
  /** The token of its previous session, which ends. */
  previousToken: string | null
}

type Stores = Clock & AccountStores & PasswordServices & AttemptServices & WebSessionStores

/**
 * Checks address and password, starts a session and returns its token. An unknown address, an account without a
 * password and a wrong password cost the same work and get the same UNAUTHENTICATED. Refuses too many attempts with
 * RATE_LIMITED, and a suspended or closed account with FORBIDDEN after the password check.
 */
export async function signIn(stores: Stores, { email, password }: Credentials, browser: Browser): Promise<string> {
  const { accounts, passwords, attemptLimiter } = stores
  await attemptLimiter.consume('sign_in', browser.clientAddress)
  await attemptLimiter.consume('password', email)
  const found = await accounts.findWithPassword(email)
  const { ok, outdated } = await passwords.verify(password, found?.password ?? null)
  if (!found?.password || !ok) {
    throw new AppError('UNAUTHENTICATED', 'The email address or the password is incorrect.')
  }
  await attemptLimiter.reset('password', email)
  if (outdated) await accounts.setPassword(found.account.id, await passwords.hash(password), found.password)
  return startSession(stores, found.account, browser)
}

/** Starts a session, ends the browser's previous one and returns the new token. */
export async function startSession(
  { webSessions, now }: Pick<Stores, 'webSessions' | 'now'>,
  account: Account,
  { userAgent, previousToken }: Browser,
): Promise<string> {
  requireActiveAccount(account)
  const at = now()
  const previous = previousToken === null ? null : await webSessions.byToken(previousToken, at)
  if (previous) await webSessions.end(previous.session.accountId, previous.session.id)
  const { token } = await webSessions.create(account.id, { userAgent: userAgent?.slice(0, 400) ?? null, at })
  return token
}
