import type { Account } from '../core/account.ts'
import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { AttemptKind, AttemptServices } from './attempt-limiter.ts'
import type { AuditServices } from './audit.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AccountStores } from './store.ts'

/** Where a password was entered, for the limits on attempts. */
export interface AttemptSource {
  clientAddress: string
  /** The id of a browser that is or has been signed in to the account; null for any other browser. */
  browserIdFor(accountId: string): string | null
}

/** On success, with the PHC string of the password, and whether its cost differs from the current one. */
type CheckedPassword =
  | { ok: true; account: Account; stored: string; outdated: boolean }
  | { ok: false; accountId: string | null }

type Stores = AccountStores & PasswordServices & AttemptServices

/**
 * Checks the password of an email address. Not ok if it is wrong, and at the same cost if there is no such account or
 * no password. Counts wrong passwords; refuses with RATE_LIMITED after too many.
 */
export async function checkPassword(
  { accounts, passwords, attemptLimiter }: Stores,
  { email, password }: { email: string; password: string },
  source: AttemptSource,
): Promise<CheckedPassword> {
  const found = await accounts.findWithPassword(email)
  const windows = attemptWindows(source, { id: found?.account.id ?? null, email })
  for (const [attempt, subject] of windows) await attemptLimiter.consume(attempt, subject)
  const { ok, outdated } = await passwords.verify(password, found?.password ?? null).catch(async (error) => {
    // The password was not checked, because the server is overloaded.
    for (const window of windows) await attemptLimiter.undo(...window)
    throw error
  })
  if (!found?.password || !ok) return { ok: false, accountId: found?.account.id ?? null }
  for (const [attempt, subject] of windows) {
    if (attempt === 'password_address') await attemptLimiter.undo(attempt, subject)
    else if (attempt !== 'sign_in') await attemptLimiter.reset(attempt, subject)
  }
  return { ok: true, account: found.account, stored: found.password, outdated }
}

/**
 * The windows in which an attempt is counted. A browser that is or has been signed in has its own window, so that
 * nobody else can use up its attempts. The widest window comes last: it does not count attempts that a narrower one
 * refuses.
 */
function attemptWindows(
  { clientAddress, browserIdFor }: AttemptSource,
  { id, email }: { id: string | null; email: string },
): [attempt: AttemptKind, subject: string][] {
  const browserId = id === null ? null : browserIdFor(id)
  if (browserId !== null) return [['password_browser', `${id} ${browserId}`]]
  return [
    ['sign_in', clientAddress],
    ['password_network', `${email} ${clientAddress}`],
    ['password_address', email],
  ]
}

/** Resets the count of wrong passwords of an account after its owner has proved the address. */
export async function clearPasswordAttempts(
  { attemptLimiter }: AttemptServices,
  { id, email }: Pick<Account, 'id' | 'email'>,
  source: AttemptSource,
): Promise<void> {
  const everyWindow = [
    ...attemptWindows(source, { id, email }),
    ...attemptWindows({ ...source, browserIdFor: () => null }, { id, email }),
  ]
  for (const [attempt, subject] of everyWindow) if (attempt !== 'sign_in') await attemptLimiter.reset(attempt, subject)
}

/**
 * Checks the password of the signed-in caller and returns its PHC string. Refuses a wrong one with INVALID_INPUT at the
 * field `current`. Wrong passwords count like those of a sign-in, in a window of the session.
 */
export async function confirmPassword(ctx: Call & Stores & AuditServices, password: string): Promise<string> {
  const { account, credential } = ctx.actor
  const source = { clientAddress: ctx.clientAddress ?? 'unknown', browserIdFor: () => credential.id }
  const checked = await checkPassword(ctx, { email: account.email, password }, source)
  if (!checked.ok) {
    await ctx.audit.record({ type: 'password_failed', by: ctx })
    throw wrongPasswordError()
  }
  return checked.stored
}

/** The refusal of a wrong password of the signed-in caller. */
export function wrongPasswordError(): AppError {
  return new AppError('INVALID_INPUT', 'This is not your current password.', { details: { field: 'current' } })
}
