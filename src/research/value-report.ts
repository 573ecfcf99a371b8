import { listSuggestedBooks } from '../gaps/suggest-book.ts'
import { funStats } from './fun-stats.ts'
import { percentile } from './percentile.ts'
import type { BookReadCounts, ReadCounts } from './read-count-store.ts'
import type { ReportSession, ReportWindow, ValueReport } from './schema.ts'
import { sumSessions, buildSessionPage, presentSession } from './session-page.ts'
import type { SessionOutcome, SessionCounts, SessionStores } from './session-store.ts'
import { wikiReport } from './wiki-report.ts'
import { listDays, resolveReportDays, type ReportDays } from './report-days.ts'
import type { Call } from '../core/context.ts'
import type { ReadLogStores } from './read-log-store.ts'
import type { WikiSources } from './wiki-report.ts'
import type { BookStores } from '../books/store.ts'
import type { SuggestionStores } from '../gaps/suggestion-store.ts'

/**
 * The value report about the caller's reading in a window of days. It reads only counters, so its cost does not grow
 * with the number of reads.
 */
export async function valueReport(
  ctx: Call & ReadLogStores & SessionStores & WikiSources & BookStores & SuggestionStores,
  query: ReportWindow,
): Promise<ValueReport> {
  const now = ctx.now()
  const window = resolveReportDays(query, now)
  const accountId = ctx.actor.id
  const [{ quarters, pagesOfDays }, books, sessionCounts, wiki, requestedBooks] = await Promise.all([
    ctx.readLog.countsByQuarterHour(accountId, window),
    ctx.readLog.countsByBook(accountId, window),
    ctx.sessions.countByQuarterHour(accountId, window),
    wikiReport(ctx, window),
    listSuggestedBooks(ctx, window),
  ])
  const [sessions, deepestSession, rank] = await Promise.all([
    buildSessionPage(ctx, { window, query, counts: sessionCounts }),
    findDeepestSession(ctx, sessionCounts),
    percentile(ctx, window, pagesOfDays),
  ])
  const totals = sumCounts(quarters.map(({ counts }) => counts))
  return {
    window: { from: window.from, to: window.to, tz: window.tz, days: window.days },
    totals: {
      sessions: sumSessions(sessionCounts),
      booksRead: books.length,
      pagesRead: totals.pages,
      contentReads: totals.content,
      tocReads: totals.toc,
      untrackedReads: totals.untracked,
    },
    outcomes: countOutcomes(sessionCounts),
    sessions,
    topSources: rankSources(books),
    daily: buildDailyRows(window, quarters, sessionCounts),
    funStats: funStats({
      ...totals,
      booksRead: books.filter(({ pages }) => pages > 0).length,
      booksOpened: books.length,
      days: window.days,
    }),
    deepestSession,
    percentile: rank,
    busiestChannel: findBusiestChannel(sessionCounts),
    wiki,
    requestedBooks,
    generatedAt: now.toISOString(),
  }
}

function sumCounts(counts: readonly ReadCounts[]): ReadCounts {
  const sum: ReadCounts = { pages: 0, content: 0, toc: 0, untracked: 0, words: 0 }
  for (const { pages, content, toc, untracked, words } of counts) {
    sum.pages += pages
    sum.content += content
    sum.toc += toc
    sum.untracked += untracked
    sum.words += words
  }
  return sum
}

function countOutcomes(counts: readonly SessionCounts[]): ValueReport['outcomes'] {
  const countOf = (expected: SessionOutcome) => sumSessions(counts.filter(({ outcome }) => outcome === expected))
  const all = sumSessions(counts)
  const contentRead = countOf('content-read')
  return {
    contentRead,
    tocOnly: countOf('toc-only'),
    noRead: countOf('no-read'),
    hitRate: all === 0 ? null : contentRead / all,
  }
}

const maxSources = 10

function rankSources(books: readonly BookReadCounts[]): ValueReport['topSources'] {
  return [...books]
    .sort((a, b) => b.pages - a.pages || b.reads - a.reads || (a.itemId < b.itemId ? -1 : 1))
    .slice(0, maxSources)
    .map(({ itemId, title, reads, pages, sessions }) => ({ itemId, title, reads, pagesRead: pages, sessions }))
}

/** One row per day of the window, including days without reads. */
function buildDailyRows(
  window: ReportDays,
  quarters: readonly { at: Date; counts: ReadCounts }[],
  sessionCounts: readonly SessionCounts[],
): ValueReport['daily'] {
  const days = listDays(window)
  const read = groupByDay(days, quarters)
  const started = groupByDay(days, sessionCounts)
  return days.map(({ date }, index) => {
    const { pages, content, toc } = sumCounts((read[index] ?? []).map(({ counts }) => counts))
    const sessions = sumSessions(started[index] ?? [])
    return { date, sessions, pagesRead: pages, contentReads: content, tocReads: toc }
  })
}

/** Groups values by day, in one pass over both. */
function groupByDay<T extends { at: Date }>(days: readonly { end: Date }[], all: readonly T[]): T[][] {
  const ordered = [...all].sort((a, b) => a.at.getTime() - b.at.getTime())
  let next = 0
  return days.map(({ end }) => {
    const first = next
    while (next < ordered.length && (ordered[next] as T).at < end) next++
    return ordered.slice(first, next)
  })
}

/** The session with the most pages read, the earlier one on a tie; null if no pages were read. */
async function findDeepestSession(
  ctx: Call & SessionStores,
  counts: readonly SessionCounts[],
): Promise<ReportSession | null> {
  const [best] = [...counts].sort((a, b) => b.pagesRead - a.pagesRead || a.at.getTime() - b.at.getTime())
  if (!best || best.pagesRead === 0) return null
  const quarter = { start: best.at, end: new Date(best.at.getTime() + 15 * 60 * 1000) }
  const session = await ctx.sessions.findByPages(ctx.actor.id, quarter, best.pagesRead)
  return session && presentSession(session)
}

/** The channel with the most sessions; null without sessions. */
function findBusiestChannel(counts: readonly SessionCounts[]): ValueReport['busiestChannel'] {
  const channels = [...Map.groupBy(counts, ({ channel }) => channel)].map(([channel, own]) => ({
    channel,
    sessions: sumSessions(own),
  }))
  return channels.sort((a, b) => b.sessions - a.sessions || (a.channel < b.channel ? -1 : 1))[0] ?? null
}
