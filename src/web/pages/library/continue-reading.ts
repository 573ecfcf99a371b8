import { html } from 'hono/html'
import { coverPath } from '../../../books/cover.ts'
import { listOpenReadings, type OpenReading } from '../../../reading/reading-positions.ts'
import { cover } from '../../components/cover.ts'
import type { Html } from '../../components/html.ts'
import type { SignedInVisit } from '../../visit.ts'

const maxShown = 4

/** The books that the caller has begun and not finished, with links to the pages; empty if there are none. */
export async function continueReading(ctx: SignedInVisit['ctx']): Promise<Html | ''> {
  const readings = await listOpenReadings(ctx, maxShown)
  if (readings.length === 0) return ''
  return html`<section class="continue-reading" aria-labelledby="continue-heading">
    <h2 id="continue-heading">Continue reading</h2>
    <ul class="continue-list">
      ${readings.map(readingEntry)}
    </ul>
  </section>`
}

function readingEntry({ book, page, of }: OpenReading): Html {
  const { id, title, author, language } = book
  return html`<li>
    <a href="/books/${id}/pages/${page}">
      ${cover({ title, author, language, pictureUrl: coverPath(book) })}
      <span>
        <span class="continue-title" dir="auto" lang="${language ?? ''}">${title}</span>
        <span class="facts">Page ${page.toLocaleString('en-GB')} of ${of.toLocaleString('en-GB')}</span>
        <progress class="book-progress" max="${of}" value="${page}" aria-hidden="true"></progress>
      </span>
    </a>
  </li>`
}
