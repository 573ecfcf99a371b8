import type { Actor, Clock } from '../core/context.ts'
import { scopes } from '../core/scopes.ts'
import type { WebSession, WebSessionStores } from './web-session-store.ts'
import type { PlanServices } from './plans.ts'

export interface VerifiedSession {
  actor: Actor
  session: WebSession
  /** True if this call extended the session; then its cookie must be extended, too. */
  extended: boolean
}

const touchIntervalMs = 5 * 60_000

/** Authenticates the token of a browser session; null if it is invalid. Ends all sessions of a suspended account. */
export async function verifySession(
  { webSessions, plans, now }: Clock & WebSessionStores & PlanServices,
  token: string,
): Promise<VerifiedSession | null> {
  const at = now()
  const found = await webSessions.byToken(token, at)
  if (!found) return null
  const { session, account } = found
  if (account.suspendedAt) {
    await webSessions.endAll(account.id)
    return null
  }
  const extended = at.getTime() - session.lastSeenAt.getTime() > touchIntervalMs
  if (extended) await webSessions.touch(session, at)
  const credential = { kind: 'session', id: session.id, passwordAt: session.createdAt } as const
  const actor: Actor = { id: account.id, account, plan: plans.byTier(account.tier), scopes: [...scopes], credential }
  return { actor, session, extended }
}
