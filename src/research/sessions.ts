import { AppError } from '../core/errors.ts'
import type {
  CompleteAccessSession,
  CompletedAccessSession,
  StartAccessSession,
  StartedAccessSession,
} from './schema.ts'
import type { PlaceTaken, SessionPlaceStores } from './session-quota-store.ts'
import type { Call, Clock } from '../core/context.ts'
import type { SessionStores } from './session-store.ts'

const limits = { open: 20, hour: 60 } as const
const idleMs = 24 * 60 * 60 * 1000
/** A start that has its place makes its session well within this. */
const startMs = 60_000

/** Starts a research session, which groups the reads that name it. At most 20 are open and 60 are started in an hour. */
export async function startAccessSession(
  ctx: Call & SessionPlaceStores & SessionStores,
  { intent }: StartAccessSession,
): Promise<StartedAccessSession> {
  const id = ctx.newId()
  const at = ctx.now()
  const accountId = ctx.actor.id
  let place = await ctx.sessionPlaces.take(accountId, { id, at }, limits)
  if (place.refusedBy === 'open') {
    await completeIdle(ctx, accountId)
    place = await ctx.sessionPlaces.take(accountId, { id, at }, limits)
  }
  if (place.refusedBy !== null) throw refuse(place, at)
  const startedAt = await ctx.sessions.add({
    id,
    accountId,
    intent: intent?.trim() || null,
    channel: ctx.door === 'mcp' ? 'mcp' : 'rest',
    client: ctx.client,
    startedAt: at,
    lastReadAt: at,
    completedAt: null,
    contentReads: 0,
    tocReads: 0,
    pagesRead: 0,
    reads: 0,
    books: {},
  })
  return { sessionId: id, createdAt: startedAt.toISOString() }
}

function refuse(place: Exclude<PlaceTaken, { refusedBy: null }>, at: Date): AppError {
  if (place.refusedBy === 'open') {
    const message = `Too many active sessions: ${limits.open} are open. Complete one first, or go on with it.`
    return new AppError('RATE_LIMITED', message, { retryAfterSeconds: 60 })
  }
  const seconds = Math.max(1, Math.ceil((place.freeAt.getTime() - at.getTime()) / 1000))
  const message = `Session creation rate limit exceeded: ${limits.hour} an hour. Go on with an open session, or retry in ${seconds}s.`
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: seconds })
}

/** Ends a research session of the caller; repeating it gives the same answer. */
export async function completeAccessSession(
  ctx: Call & SessionStores & SessionPlaceStores,
  { sessionId }: CompleteAccessSession,
): Promise<CompletedAccessSession> {
  if (!(await complete(ctx, ctx.actor.id, sessionId))) throw new AppError('NOT_FOUND', 'Session not found')
  return { sessionId, status: 'completed' }
}

type Stores = Clock & SessionStores & SessionPlaceStores

async function complete({ sessions, sessionPlaces, now }: Stores, accountId: string, id: string): Promise<boolean> {
  if (!(await sessions.complete(accountId, id, now()))) return false
  await sessionPlaces.release(accountId, [id])
  return true
}

/** Since when something must have been read in a session that is open still: it ends by itself after a day without. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - idleMs)
}

/**
 * Ends the sessions of an account (null: of all) in which nothing was read for a day, and gives back the places that a
 * crash left to a session that is over or did not come to be.
 */
export async function completeIdle(stores: Stores, accountId: string | null): Promise<void> {
  const { sessions, sessionPlaces, now } = stores
  for (const idle of await sessions.idle(accountId, idleSince(now()))) await complete(stores, idle.accountId, idle.id)
  for await (const held of sessionPlaces.held(accountId, new Date(now().getTime() - startMs))) {
    const open = await sessions.open(held.accountId, held.ids)
    const stray = held.ids.filter((id) => !open.has(id))
    if (stray.length > 0) await sessionPlaces.release(held.accountId, stray)
  }
}
