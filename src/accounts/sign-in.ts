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
 * RATE_LIMITED, and a suspended or closed account with FORBIDDEN after the password check. A password that is changed
 * meanwhile counts as wrong.
 */
export async function signIn(stores: Stores, { email, password }: Credentials, browser: Browser): Promise<string> {
  const checked = await checkPassword(stores, { email, password }, browser)
  if (!checked.ok) {
    // Not awaited, so that the answer takes the same time for every address.
    void recordFailure(stores, checked.accountId, browser)
    throw wrongCredentialsError()
  }
  const { account, stored, outdated } = checked
  if (outdated) await stores.accounts.setPassword(account.id, await stores.passwords.hash(password), stored)
  const token = await startCheckedSession(stores, { account, password, stored }, browser)
  if (token !== null) return token
  await recordFailure(stores, account.id, browser)
  throw wrongCredentialsError()
}

/** A password that was correct when it was checked. */
interface CheckedPassword {
  account: Account
  password: string
  /** Its PHC string. */
  stored: string
}

/**
 * Starts a session for a checked password like `startSession`. Null if the password has changed meanwhile: whoever
 * changes it ends the sessions that exist afterwards, so it is compared again once the new one exists.
 */
export async function startCheckedSession(
  stores: Pick<Stores, 'accounts' | 'passwords' | 'webSessions' | 'audit' | 'now'>,
  { account, password, stored }: CheckedPassword,
  browser: Browser,
): Promise<string | null> {
  const token = await startSession(stores, account, browser)
  const current = (await stores.accounts.findWithPassword(account.email))?.password ?? null
  // The same password has another PHC string after its cost was updated.
  if (current === stored || (await stores.passwords.verify(password, current)).ok) return token
  await endSession(stores, token)
  return null
}

function wrongCredentialsError(): AppError {
  return new AppError('UNAUTHENTICATED', 'The email address or the password is incorrect.')
}

/** Starts a session, ends the browser's previous one and returns the new token. */
export async function startSession(
  { webSessions, audit, now }: Pick<Stores, 'webSessions' | 'audit' | 'now'>,
  account: Account,
  { clientAddress, userAgent, previousToken }: Browser,
): Promise<string> {
  requireActiveAccount(account)
  const at = now()
  if (previousToken !== null) await endSession({ webSessions, now }, previousToken)
  const { token, session } = await webSessions.create(account.id, { userAgent: userAgent?.slice(0, 400) ?? null, at })
  const by = { clientAddress, userAgent, actorId: account.id }
  await audit.record({ type: 'sign_in', by, detail: { session: session.id } })
  return token
}

async function endSession({ webSessions, now }: Pick<Stores, 'webSessions' | 'now'>, token: string): Promise<void> {
  const found = await webSessions.byToken(token, now())
  if (found) await webSessions.end(found.session.accountId, found.session.id)
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
