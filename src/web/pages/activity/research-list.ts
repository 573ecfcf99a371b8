import { html } from 'hono/html'
import type { SessionPage } from '../../../research/schema.ts'
import type { Html } from '../../components/html.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { programName } from '../../format/program-name.ts'
import { bookLink } from './book-link.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** Number of research sessions on a page of the list. */
export const sessionsPerPage = 20
/** The value report skips at most this many sessions. */
export const maxSkippedSessions = 5000

type Session = SessionPage['sessions'][number]

/** The research sessions of a period, latest first, with links to earlier and later ones. */
export function researchList(
  { sessions, total, offset, hasMore }: SessionPage,
  { days, readable }: { days: number; readable: ReadonlySet<string> },
): Html | '' {
  if (total === 0) return ''
  const hasEarlier = hasMore && offset + sessionsPerPage <= maxSkippedSessions
  const link = (from: number, label: string) =>
    html`<a class="button quiet small" href="/activity?days=${days}&amp;from=${from}#research">${label}</a>`
  return html`<section aria-labelledby="research">
    <h2 id="research">Research</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(session, readable))}
    </ul>
    ${
      offset > 0 || hasEarlier
        ? html`<nav class="actions" aria-label="Research">
            ${offset > 0 ? link(Math.max(0, offset - sessionsPerPage), 'Later') : ''}
            ${hasEarlier ? link(offset + sessionsPerPage, 'Earlier') : ''}
          </nav>`
        : ''
    }
  </section>`
}

function sessionRow(session: Session, readable: ReadonlySet<string>): Html {
  const { intent, client, startedAt, outcome, pagesRead, books } = session
  return html`<li>
    <div>
      <strong dir="auto">${intent ?? 'Research without a title'}</strong>
      <p class="facts">${programName(client)}, ${formatDateTime(startedAt)}. ${resultOf(outcome, pagesRead)}</p>
      ${
        books.length === 0
          ? ''
          : html`<ul class="activity-books">
              ${books.map(
                ({ itemId, title, depth, pagesRead: pages }) =>
                  html`<li>
                    ${bookLink({ itemId, title }, readable)}
                    <span class="facts">${depth === 'toc' ? 'contents only' : formatPageCount(pages)}</span>
                  </li>`,
              )}
            </ul>`
      }
    </div>
  </li>`
}

function resultOf(outcome: Session['outcome'], pagesRead: number): string {
  if (outcome === 'no-read') return 'Nothing was opened.'
  return outcome === 'toc-only' ? 'Only tables of contents were opened.' : `${formatPageCount(pagesRead)} read.`
}
