import { suggestedBooks } from '../gaps/suggest-book.ts'
import { funStats } from './fun-stats.ts'
import { percentile } from './percentile.ts'
import type { BookTally, Tally } from './read-count-store.ts'
import type { ReportSession, ReportWindow, ValueReport } from './schema.ts'
import { countSessions, sessionPage, showSession } from './session-page.ts'
import type { Outcome, SessionTally, SessionStores } from './session-store.ts'
import { wikiReport } from './wiki-report.ts'
import { daysIn, windowOf, type Window } from './report-days.ts'
import type { Call } from '../core/context.ts'
import type { ReadLogStores } from './read-log-store.ts'
import type { WikiSources } from './wiki-report.ts'
import type { BookStores } from '../books/store.ts'
import type { SuggestionStores } from '../gaps/suggestion-store.ts'

/** What the caller's reading came to in a window of days; from counters, whatever the number of reads. */
export async function valueReport(
  ctx: Call & ReadLogStores & SessionStores & WikiSources & BookStores & SuggestionStores,
  query: ReportWindow,
): Promise<ValueReport> {
  const now = ctx.now()
  const window = windowOf(query, now)
  const accountId = ctx.actor.id
  const [{ quarters, pagesOfDays }, books, tallies, wiki, requestedBooks] = await Promise.all([
    ctx.readLog.quarters(accountId, window),
    ctx.readLog.byBook(accountId, window),
    ctx.sessions.tally(accountId, window),
    wikiReport(ctx, window),
    suggestedBooks(ctx, window),
  ])
  const [sessions, deepestSession, place] = await Promise.all([
    sessionPage(ctx, { window, query, tallies }),
    deepest(ctx, tallies),
    percentile(ctx, window, pagesOfDays),
  ])
  const sum = addUp(quarters.map(({ tally }) => tally))
  return {
    window: { from: window.from, to: window.to, tz: window.tz, days: window.days },
    totals: {
      sessions: countSessions(tallies),
      booksRead: books.length,
      pagesRead: sum.pages,
      contentReads: sum.content,
      tocReads: sum.toc,
      untrackedReads: sum.untracked,
    },
    outcomes: outcomes(tallies),
    sessions,
    topSources: topSources(books),
    daily: daily(window, quarters, tallies),
    funStats: funStats({
      ...sum,
      booksRead: books.filter(({ pages }) => pages > 0).length,
      booksOpened: books.length,
      days: window.days,
    }),
    deepestSession,
    percentile: place,
    busiestChannel: busiest(tallies),
    wiki,
    requestedBooks,
    generatedAt: now.toISOString(),
  }
}

function addUp(tallies: readonly Tally[]): Tally {
  const sum: Tally = { pages: 0, content: 0, toc: 0, untracked: 0, words: 0 }
  for (const { pages, content, toc, untracked, words } of tallies) {
    sum.pages += pages
    sum.content += content
    sum.toc += toc
    sum.untracked += untracked
    sum.words += words
  }
  return sum
}

function outcomes(tallies: readonly SessionTally[]): ValueReport['outcomes'] {
  const of = (wanted: Outcome) => countSessions(tallies.filter(({ outcome }) => outcome === wanted))
  const all = countSessions(tallies)
  const contentRead = of('content-read')
  return {
    contentRead,
    tocOnly: of('toc-only'),
    noRead: of('no-read'),
    hitRate: all === 0 ? null : contentRead / all,
  }
}

const mostSources = 10

function topSources(books: readonly BookTally[]): ValueReport['topSources'] {
  return [...books]
    .sort((a, b) => b.pages - a.pages || b.reads - a.reads || (a.itemId < b.itemId ? -1 : 1))
    .slice(0, mostSources)
    .map(({ itemId, title, reads, pages, sessions }) => ({ itemId, title, reads, pagesRead: pages, sessions }))
}

/** One row for every day of the window, also for days without a read. */
function daily(
  window: Window,
  quarters: readonly { at: Date; tally: Tally }[],
  tallies: readonly SessionTally[],
): ValueReport['daily'] {
  const days = daysIn(window)
  const read = byDay(days, quarters)
  const started = byDay(days, tallies)
  return days.map(({ date }, index) => {
    const { pages, content, toc } = addUp((read[index] ?? []).map(({ tally }) => tally))
    const sessions = countSessions(started[index] ?? [])
    return { date, sessions, pagesRead: pages, contentReads: content, tocReads: toc }
  })
}

/** What belongs to each day, in one pass over both. */
function byDay<T extends { at: Date }>(days: readonly { end: Date }[], all: readonly T[]): T[][] {
  const ordered = [...all].sort((a, b) => a.at.getTime() - b.at.getTime())
  let next = 0
  return days.map(({ end }) => {
    const first = next
    while (next < ordered.length && (ordered[next] as T).at < end) next++
    return ordered.slice(first, next)
  })
}

/** The session in which most pages were read, the earlier one of two; null when none were. */
async function deepest(ctx: Call & SessionStores, tallies: readonly SessionTally[]): Promise<ReportSession | null> {
  const [best] = [...tallies].sort((a, b) => b.pagesRead - a.pagesRead || a.at.getTime() - b.at.getTime())
  if (!best || best.pagesRead === 0) return null
  const quarter = { start: best.at, end: new Date(best.at.getTime() + 15 * 60 * 1000) }
  const session = await ctx.sessions.withPages(ctx.actor.id, quarter, best.pagesRead)
  return session && showSession(session)
}

/** The channel of most sessions; null without any. */
function busiest(tallies: readonly SessionTally[]): ValueReport['busiestChannel'] {
  const channels = [...Map.groupBy(tallies, ({ channel }) => channel)].map(([channel, own]) => ({
    channel,
    sessions: countSessions(own),
  }))
  return channels.sort((a, b) => b.sessions - a.sessions || (a.channel < b.channel ? -1 : 1))[0] ?? null
}
