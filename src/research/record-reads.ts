import type { BookRead, SessionStores } from './session-store.ts'
import { idleSince } from './sessions.ts'
import type { Call } from '../core/context.ts'
import type { ReadLogStores } from './read-log-store.ts'

/** How long an answer waits for the counting of its reads, which then goes on behind it. */
const patienceMs = 2000

/**
 * Counts the books that a reading call opened for the value report, under a research session where an open one of the
 * caller is named. Never fails the read, and never holds it up for long: what cannot be counted is logged.
 */
export async function recordReads(
  ctx: Call & SessionStores & ReadLogStores,
  books: readonly BookRead[],
  sessionId?: string,
): Promise<void> {
  if (books.length === 0) return
  const named = sessionId ?? ctx.sessionId
  const counted = count(ctx, books, named).catch((err: unknown) => ctx.log.warn({ err }, 'could not count reads'))
  if (!named) return counted
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)))
  await Promise.race([counted, patience])
  clearTimeout(timer)
}

async function count(
  ctx: Call & SessionStores & ReadLogStores,
  books: readonly BookRead[],
  sessionId: string | null,
): Promise<void> {
  const at = ctx.now()
  const accountId = ctx.actor.id
  const reads = { books, at, idle: idleSince(at) }
  const fresh = sessionId ? await ctx.sessions.record(accountId, sessionId, reads) : null
  ctx.readLog.count(accountId, { at, books, tracked: fresh !== null, freshBooks: fresh ?? [] })
}
