import type { Call } from '../core/context.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AuditServices } from './audit.ts'
import { confirmPassword, wrongPasswordError } from './check-password.ts'
import type { PasswordServices } from './password-hasher.ts'
import { startCheckedSession, type Browser } from './sign-in.ts'
import type { AccountStores } from './store.ts'
import type { WebSessionStores } from './web-session-store.ts'

/**
 * Checks the password of the signed-in caller again, replaces the session by a new one with a recent password, and
 * returns its token. So somebody with a copy of the former token gains nothing and is signed out. Refuses like
 * `confirmPassword`.
 */
export async function confirmSession(
  ctx: Call & AccountStores & PasswordServices & AttemptServices & WebSessionStores & AuditServices,
  password: string,
  browser: Browser,
): Promise<string> {
  const stored = await confirmPassword(ctx, password)
  const token = await startCheckedSession(ctx, { account: ctx.actor.account, password, stored }, browser)
  if (token === null) throw wrongPasswordError()
  return token
}
