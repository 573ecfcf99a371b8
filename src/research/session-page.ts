import type { ReportSession, ReportWindow, SessionPage } from './schema.ts'
import { outcomeOf, type AccessSession, type SessionCounts } from './session-store.ts'
import { resolveReportDays, type ReportDays } from './report-days.ts'
import type { Call } from '../core/context.ts'
import type { SessionStores } from './session-store.ts'

/** The research sessions that started in a window, newest first. */
export async function listReportSessions(ctx: Call & SessionStores, query: ReportWindow): Promise<SessionPage> {
  const window = resolveReportDays(query, ctx.now())
  return buildSessionPage(ctx, { window, query, counts: await ctx.sessions.countByQuarterHour(ctx.actor.id, window) })
}

interface SessionPageRequest {
  window: ReportDays
  query: ReportWindow
  counts: readonly SessionCounts[]
}

/** One page of the sessions of a window, given their counts. */
export async function buildSessionPage(
  ctx: Call & SessionStores,
  { window, query, counts }: SessionPageRequest,
): Promise<SessionPage> {
  const { sessionsLimit: limit, sessionsOffset: offset } = query
  const total = sumSessions(counts)
  const found = offset < total ? await ctx.sessions.list(ctx.actor.id, window, { limit, offset }) : []
  return {
    sessions: found.map((session) => presentSessionFor(ctx, session)),
    limit,
    offset,
    total,
    hasMore: offset + found.length < total,
  }
}

/** The total number of sessions. */
export function sumSessions(counts: readonly SessionCounts[]): number {
  return counts.reduce((sum, { sessions }) => sum + sessions, 0)
}

/**
 * A session in a report. On pages, `client` is the name under which the account knows the assistant: that of the API key or application.
 */
function presentSessionFor({ transport }: Pick<Call, 'transport'>, session: AccessSession): ReportSession {
  const presented = presentSession(session)
  return transport === 'web' && session.by ? { ...presented, client: session.by } : presented
}

/** A session in a report, with its books sorted by pages read, most first. */
export function presentSession(session: AccessSession): ReportSession {
  const books = Object.entries(session.books).map(([itemId, book]) => ({ itemId, ...book }))
  books.sort((a, b) => b.pagesRead - a.pagesRead || (a.itemId < b.itemId ? -1 : 1))
  return {
    id: session.id,
    startedAt: session.startedAt.toISOString(),
    intent: session.intent,
    channel: session.channel,
    client: session.client,
    outcome: outcomeOf(session),
    bookCount: books.length,
    pagesRead: session.pagesRead,
    books,
  }
}
