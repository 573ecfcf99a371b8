import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type {
  CompleteAccessSession,
  CompletedAccessSession,
  StartAccessSession,
  StartedAccessSession,
} from './schema.ts'
import type { QuotaResult, SessionQuotaStores } from './session-quota-store.ts'
import type { Call, Clock } from '../core/context.ts'
import type { SessionStores } from './session-store.ts'

const limits = { open: 20, hour: 60 } as const
const idleTimeoutMs = 24 * 60 * 60 * 1000
/** A start creates its session well within this time (ms) after its reservation. */
const startTimeoutMs = 60_000

/**
 * Starts a research session, which groups the reads that name it. Throws RATE_LIMITED at 20 open sessions and at 60
 * starts within an hour.
 */
export async function startAccessSession(
  ctx: Call & SessionQuotaStores & SessionStores,
  { intent }: StartAccessSession,
): Promise<StartedAccessSession> {
  for (let id = ctx.newId(); ; id = newId(ctx.now())) {
    const startedAt = await startSession(ctx, id, intent?.trim() || null)
    // Null after a stop of a minute, in which another call has released the reservation: begins again.
    if (startedAt) return { sessionId: id, createdAt: startedAt.toISOString() }
  }
}

/** Starts a session and returns its start time; null if its reservation was released meanwhile. */
async function startSession(
  ctx: Call & SessionQuotaStores & SessionStores,
  id: string,
  intent: string | null,
): Promise<Date | null> {
  const at = ctx.now()
  const accountId = ctx.actor.id
  let acquired = await ctx.sessionQuota.acquire(accountId, { id, at }, limits)
  if (acquired.refusedBy === 'open') {
    await completeIdleSessions(ctx, accountId)
    acquired = await ctx.sessionQuota.acquire(accountId, { id, at }, limits)
  }
  if (acquired.refusedBy !== null) throw quotaError(acquired, at)
  return ctx.sessions.add({
    id,
    accountId,
    intent,
    channel: ctx.transport === 'mcp' ? 'mcp' : 'rest',
    client: ctx.clientName,
    by: ctx.actor.credential.name ?? null,
    startedAt: at,
    lastReadAt: at,
    completedAt: null,
    contentReads: 0,
    tocReads: 0,
    pagesRead: 0,
    reads: 0,
    books: {},
  })
}

function quotaError(result: Exclude<QuotaResult, { refusedBy: null }>, at: Date): AppError {
  if (result.refusedBy === 'open') {
    const message = `Too many active sessions: ${limits.open} are open. Complete one first, or continue with an open one.`
    return new AppError('RATE_LIMITED', message, { retryAfterSeconds: 60 })
  }
  const seconds = Math.max(1, Math.ceil((result.retryAt.getTime() - at.getTime()) / 1000))
  const message = `Session creation rate limit exceeded: ${limits.hour} an hour. Continue with an open session, or retry in ${seconds}s.`
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: seconds })
}

/** Completes a research session of the caller. Idempotent. Throws NOT_FOUND for an unknown session. */
export async function completeAccessSession(
  ctx: Call & SessionStores & SessionQuotaStores,
  { sessionId }: CompleteAccessSession,
): Promise<CompletedAccessSession> {
  if (!(await completeSession(ctx, ctx.actor.id, sessionId))) throw new AppError('NOT_FOUND', 'Session not found')
  return { sessionId, status: 'completed' }
}

type Stores = Clock & SessionStores & SessionQuotaStores

async function completeSession(
  { sessions, sessionQuota, now }: Stores,
  accountId: string,
  id: string,
): Promise<boolean> {
  if (!(await sessions.complete(accountId, id, now()))) return false
  await sessionQuota.release(accountId, [id])
  return true
}

/** Sessions without a read since this instant, a day before `now`, are idle: the sweep completes them. */
export function idleCutoff(now: Date): Date {
  return new Date(now.getTime() - idleTimeoutMs)
}

/**
 * Completes the sessions of an account (null: of all) without a read for a day, and releases reservations whose session
 * is completed or, because of a crash, was never created.
 */
export async function completeIdleSessions(stores: Stores, accountId: string | null): Promise<void> {
  const { sessions, sessionQuota, now } = stores
  for (const idle of await sessions.listIdle(accountId, idleCutoff(now())))
    await completeSession(stores, idle.accountId, idle.id)
  for await (const held of sessionQuota.listHeld(accountId, new Date(now().getTime() - startTimeoutMs))) {
    const open = await sessions.filterOpen(held.accountId, held.ids)
    const orphaned = held.ids.filter((id) => !open.has(id))
    if (orphaned.length === 0) continue
    // Released only after this: a call that has stopped before it adds its session must not add it without a reservation.
    await sessions.preventStarts(held.accountId, orphaned, now())
    const started = await sessions.filterOpen(held.accountId, orphaned)
    await sessionQuota.release(
      held.accountId,
      orphaned.filter((id) => !started.has(id)),
    )
  }
}
