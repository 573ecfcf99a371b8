import { html } from 'hono/html'
import { findAccessibleBooks } from '../../../books/access.ts'
import { ValueReport } from '../../../research/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { chips } from '../../components/chips.ts'
import { factsList } from '../../components/facts-list.ts'
import { emptyState } from '../../components/empty-state.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { formatDay } from '../../format/format-time.ts'
import { bookLink } from './book-link.ts'
import { pagesPerDay } from './pages-per-day.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { maxSkippedSessions, researchList, sessionsPerPage } from './research-list.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** The lengths of the periods that the page offers, days. */
const periods = [
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'A year'],
] as const
const defaultDays = 30

/** Mounts /activity: what the account and its assistants have read, as counted in the value report. */
export function mountActivity(routes: PageRoutes): void {
  routes.signedInPage('GET', '/activity', activityPage)
}

async function activityPage(visit: SignedInVisit): Promise<Response> {
  const { searchParams } = visit.url
  const days = periods.find(([length]) => String(length) === searchParams.get('days'))?.[0] ?? defaultDays
  const skipped = Number(/^\d{1,4}$/.exec(searchParams.get('from') ?? '')?.[0] ?? 0)
  const raw = {
    since: `${days}d`,
    sessionsLimit: sessionsPerPage,
    sessionsOffset: Math.min(skipped, maxSkippedSessions),
  }
  const report = await callToolForVisit(visit, { name: 'get_value_report', raw }, ValueReport)
  const readable = await findReadable(visit, report)
  return respondPage(visit, {
    title: 'Activity',
    width: 'wide',
    content: html`<h1>Activity</h1>
      <p class="lead">What you and your assistants have read and written here.</p>
      ${chips(
        'Period',
        periods.map(([length, label]) => ({
          label,
          url: length === defaultDays ? '/activity' : `/activity?days=${length}`,
          current: length === days,
        })),
      )}
      ${isEmpty(report) ? nothingYet() : html`${figures(report)} ${reading(report, readable)} ${researchList(report.sessions, { days, readable })}`}
      ${wishes(report)}
      <p class="facts">
        Days begin and end in UTC. A program gets the same figures from
        <a href="/docs/research">the value report</a> of the API.
      </p>`,
  })
}

/** The ids of the books in a report that the account can still open. */
async function findReadable(
  { ctx }: SignedInVisit,
  { topSources, sessions }: ValueReport,
): Promise<ReadonlySet<string>> {
  const books = [...topSources, ...sessions.sessions.flatMap((session) => session.books)]
  const found = await findAccessibleBooks(ctx, [...new Set(books.map(({ itemId }) => itemId))])
  return new Set(found.map(({ id }) => id))
}

function isEmpty({ totals, wiki }: ValueReport): boolean {
  return totals.contentReads + totals.tocReads + totals.sessions + wiki.updates === 0
}

function nothingYet(): Html {
  return emptyState({
    icon: 'book-open',
    title: 'Nothing was read in these days',
    text: 'Connect an assistant and ask it about your books. Then you can see here what it opened.',
    actions: html`<a class="button" href="/connect">${icon('plug')}Connect an assistant</a>`,
  })
}

/** The totals of the period. */
function figures({ totals, outcomes, wiki, funStats }: ValueReport): Html {
  const rows: readonly (readonly [label: string, value: Html | string])[] = [
    ['Pages read', number(totals.pagesRead)],
    ['Books read', number(totals.booksRead)],
    ['Reading time', `${duration(funStats.minutesOfReading)} for a person`],
    ['Research', researchWords(totals.sessions, outcomes.contentRead)],
    ['Written', writtenWords(wiki)],
  ]
  return factsList(rows)
}

function researchWords(sessions: number, withText: number): string {
  if (sessions === 0) return 'None'
  return `${sessions === 1 ? '1 question or topic' : `${number(sessions)} questions or topics`}; text was read for ${number(withText)}`
}

function writtenWords({ updates, pagesWritten, manuscripts }: ValueReport['wiki']): Html | string {
  if (updates === 0) return 'Nothing'
  const changes = updates === 1 ? '1 change' : `${number(updates)} changes`
  const books = manuscripts === 1 ? '1 manuscript' : `${number(manuscripts)} manuscripts`
  return html`${changes} of <a href="/library/manuscripts">${books}</a>, ${formatPageCount(pagesWritten)}`
}

function duration(minutes: number): string {
  if (minutes < 1) return 'Less than a minute'
  if (minutes < 90) return `About ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
  return `About ${number(Math.round(minutes / 60))} hours`
}

function reading({ daily, topSources }: ValueReport, readable: ReadonlySet<string>): Html | '' {
  if (topSources.length === 0) return ''
  return html`<section aria-labelledby="reading">
    <h2 id="reading">Pages read</h2>
    ${pagesPerDay(daily)}
    <h2>Books</h2>
    <div class="table-wrap">
      <table class="activity-table">
        <thead>
          <tr>
            <th scope="col">Book</th>
            <th scope="col" class="number">Pages read</th>
            <th scope="col" class="number">Times opened</th>
          </tr>
        </thead>
        <tbody>
          ${topSources.map(
            ({ itemId, title, pagesRead, reads }) =>
              html`<tr>
                <td>${bookLink({ itemId, title }, readable)}</td>
                <td class="number">${number(pagesRead)}</td>
                <td class="number">${number(reads)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

/** Books that assistants have asked for. */
function wishes({ requestedBooks }: ValueReport): Html | '' {
  if (requestedBooks.length === 0) return ''
  return html`<section aria-labelledby="wishes">
    <h2 id="wishes">Books that were missing</h2>
    <ul class="rows">
      ${requestedBooks.map(
        ({ title, author, reason, createdAt }) =>
          html`<li>
            <div>
              <strong dir="auto">${title}</strong>${author ? html` <span dir="auto">${author}</span>` : ''}
              <p dir="auto">${reason}</p>
              <p class="facts">Asked for on ${formatDay(createdAt)}</p>
            </div>
          </li>`,
      )}
    </ul>
    <p><a class="button quiet small" href="/add">${icon('plus')}Add books</a></p>
  </section>`
}

function number(count: number): string {
  return count.toLocaleString('en-GB')
}
