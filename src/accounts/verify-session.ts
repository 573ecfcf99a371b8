import type { Actor, Clock } from '../core/context.ts'
import { scopes } from '../core/scopes.ts'
import type { WebSession, WebSessionStores } from './web-session-store.ts'
import type { PlanServices } from './plans.ts'

export interface SignedIn {
  actor: Actor
  session: WebSession
  /** The session was prolonged just now: its cookie has to be, too. */
  prolonged: boolean
}

const touchEveryMs = 5 * 60_000

/** Who is signed in by the token of a browser session, or null. A suspended account is signed out. */
export async function verifySession(
  { webSessions, plans, now }: Clock & WebSessionStores & PlanServices,
  token: string,
): Promise<SignedIn | null> {
  const at = now()
  const found = await webSessions.byToken(token, at)
  if (!found) return null
  const { session, account } = found
  if (account.suspendedAt) {
    await webSessions.endAll(account.id)
    return null
  }
  const prolonged = at.getTime() - session.lastSeenAt.getTime() > touchEveryMs
  if (prolonged) await webSessions.touch(account.id, session.id, at)
  const credential = { kind: 'session', id: session.id } as const
  const actor: Actor = { id: account.id, account, plan: plans.of(account.tier), scopes: [...scopes], credential }
  return { actor, session, prolonged }
}
