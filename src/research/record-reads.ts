import type { BookRead, SessionStores } from './session-store.ts'
import { idleCutoff } from './sessions.ts'
import type { Call } from '../core/context.ts'
import { programName } from './page-read-store.ts'
import type { ReadLogStores } from './read-log-store.ts'

/** How long a read waits until it is counted, ms; after that, counting continues in the background. */
const countTimeoutMs = 2000

/**
 * Counts the books that a reading call opened for the value report, and adds them to the caller's named, open research
 * session, if any. Never fails the read and delays it by at most 2 s; errors are logged.
 */
export async function recordReads(
  ctx: Call & SessionStores & ReadLogStores,
  books: readonly BookRead[],
  sessionId?: string,
): Promise<void> {
  if (books.length === 0) return
  const activeSessionId = sessionId ?? ctx.sessionId
  const counted = countBooks(ctx, books, activeSessionId).catch((err: unknown) =>
    ctx.log.warn({ err }, 'could not count reads'),
  )
  if (!activeSessionId) return counted
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, countTimeoutMs)))
  await Promise.race([counted, timeout])
  clearTimeout(timer)
}

async function countBooks(
  ctx: Call & SessionStores & ReadLogStores,
  books: readonly BookRead[],
  sessionId: string | null,
): Promise<void> {
  const at = ctx.now()
  const accountId = ctx.actor.id
  const reads = { books, at, idle: idleCutoff(at) }
  const newBooks = sessionId ? await ctx.sessions.recordReads(accountId, sessionId, reads) : null
  const agent = ctx.transport === 'web' ? null : (ctx.actor.credential.name ?? programName(ctx.clientName))
  ctx.readLog.count(accountId, { at, books, tracked: newBooks !== null, newBooks: newBooks ?? [], agent })
}
