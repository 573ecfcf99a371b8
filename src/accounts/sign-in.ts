import { AppError } from '../core/errors.ts'
import { checkPassword, type AttemptSource } from './check-password.ts'
import { requireActiveAccount } from './require-active-account.ts'
import type { Credentials } from './credentials-schema.ts'
import type { Account } from '../core/account.ts'
import type { Clock } from '../core/context.ts'
import type { AccountStores } from './store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AuditServices } from './audit.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { WebSessionStores } from './web-session-store.ts'

/** The browser of a sign-in. */
export interface Browser extends AttemptSource {
  userAgent: string | null
  /** The token of its previous session, which is ended. */
  previousToken: string | null
}

type Stores = Clock & AccountStores & PasswordServices & AttemptServices & WebSessionStores & AuditServices

/**
 * Checks address and password, starts a session and returns its token. An unknown address, an account without a
 * password and a wrong password cost the same work and get the same UNAUTHENTICATED. Refuses too many attempts with
 * RATE_LIMITED, and a suspended or closed account with FORBIDDEN after the password check.
 */
export async function signIn(stores: Stores, { email, password }: Credentials, browser: Browser): Promise<string> {
  const checked = await checkPassword(stores, { email, password }, browser)
  if (!checked.ok) {
    // Not awaited, so that the answer takes the same time for every address.
    void recordFailure(stores, checked.accountId, browser)
    throw new AppError('UNAUTHENTICATED', 'The email address or the password is incorrect.')
  }
  const { account, stored, outdated } = checked
  if (outdated) await stores.accounts.setPassword(account.id, await stores.passwords.hash(password), stored)
  return startSession(stores, account, browser)
}

/** Starts a session, ends the browser's previous one and returns the new token. */
export async function startSession(
  { webSessions, audit, now }: Pick<Stores, 'webSessions' | 'audit' | 'now'>,
  account: Account,
  { clientAddress, userAgent, previousToken }: Browser,
): Promise<string> {
  requireActiveAccount(account)
  const at = now()
  const previous = previousToken === null ? null : await webSessions.byToken(previousToken, at)
  if (previous) await webSessions.end(previous.session.accountId, previous.session.id)
  const { token, session } = await webSessions.create(account.id, { userAgent: userAgent?.slice(0, 400) ?? null, at })
  const by = { clientAddress, userAgent, actorId: account.id }
  await audit.record({ type: 'sign_in', by, detail: { session: session.id } })
  return token
}

/**
 * Records a wrong password. The number of entries for unknown addresses is limited, so that strangers cannot flood the
 * log.
 */
async function recordFailure(
  { audit, attemptLimiter }: AuditServices & AttemptServices,
  accountId: string | null,
  by: Browser,
): Promise<void> {
  const isRecorded = accountId !== null || (await attemptLimiter.consume('audit_unknown', 'all').then(yes, no))
  if (isRecorded) await audit.record({ type: 'sign_in_failed', by, accountId })
}

const [yes, no] = [() => true, () => false]
