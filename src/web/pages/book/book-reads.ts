import { html } from 'hono/html'
import { dayInWords } from '../../../core/day-in-words.ts'
import { describeBookReads, type BookReader, type BookReads } from '../../../research/describe-book-reads.ts'
import type { OutlineView } from '../../../reading/read-page.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import { programName } from '../../format/program-name.ts'
import type { SignedInVisit } from '../../visit.ts'
import { pagePath } from './opened-book.ts'
import { readStrip } from './read-strip.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** How a book of the caller was read: a strip of its pages, with filters, and the related research sessions. */
export async function bookReads(visit: SignedInVisit, view: OutlineView): Promise<Html> {
  const { searchParams } = visit.url
  const choice = { week: searchParams.get('week') || null, reader: searchParams.get('reader') || null }
  const { id } = view.book
  const reads = await describeBookReads(visit.ctx, { itemId: id, pageCount: view.manifest.pageCount, ...choice })
  return html`<section aria-labelledby="reads" class="book-reads">
    <h2 id="reads">What agents read</h2>
    ${
      reads.weeks.length === 0
        ? html`<p class="quiet-text">
            No agent read this book in the last 26 weeks. <a href="/connect">Connect an assistant</a> and ask it about
            this book. Then you can see here which pages it opened.
          </p>`
        : html`${filters(view, reads, choice)} ${summary(reads)} ${readStrip(view, reads.marks)}
            ${readTable(view, reads)} ${sessions(reads)}
            <p class="facts">
              Reads are counted for each page over 26 weeks. What you read here yourself is not counted. Other readers
              are counted together, without names, and only in weeks in which at least three of them read.
              <a href="/activity">See what was read in all books</a>.
            </p>`
    }
  </section>`
}

interface Choice {
  week: string | null
  reader: string | null
}

function filters({ book, manifest }: OutlineView, { readers, weeks }: BookReads, choice: Choice): Html {
  return html`<form method="get" action="/books/${book.id}#reads" class="read-filters">
    ${manifest.version === book.version ? '' : html`<input type="hidden" name="v" value="${manifest.version}" />`}
    <div class="field">
      <label for="reader">Read by</label>
      <select id="reader" name="reader">
        ${option('', 'Everybody', choice.reader)}
        ${readers.map(({ key, reader, reads }) => option(key, `${readerName(reader)} (${number(reads)})`, choice.reader))}
      </select>
    </div>
    <div class="field">
      <label for="week">In the week from</label>
      <select id="week" name="week">
        ${option('', 'All weeks', choice.week)}
        ${weeks.map(({ week, reads }) => option(week, `${dayInWords(week)} (${number(reads)})`, choice.week))}
      </select>
    </div>
    <button class="quiet">Show</button>
  </form>`
}

function option(value: string, label: string, chosen: string | null): Html {
  return html`<option value="${value}" ${value === (chosen ?? '') ? html`selected` : ''}>${label}</option>`
}

function readerName(reader: BookReader): string {
  return reader.kind === 'others' ? 'Other readers' : programName(reader.name)
}

const number = (count: number) => count.toLocaleString('en-GB')
const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${number(count)} times`)

function summary({ reads, marks }: BookReads): Html {
  if (reads === 0) return html`<p>No reads match this selection.</p>`
  const most = marks.reduce((best, mark) => (mark.reads > best.reads ? mark : best))
  return html`<p>
    Text was read ${times(reads)}. The most read page is ${number(most.page)}, opened ${times(most.reads)}.
  </p>`
}

/** The content of the strip as a table, for screen readers and keyboards. */
function readTable(view: OutlineView, { marks }: BookReads): Html | '' {
  const read = marks.filter(({ reads }) => reads > 0)
  if (read.length === 0) return ''
  return html`<details>
    <summary>Show as a table</summary>
    <div class="table-wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">Pages</th>
            <th scope="col">Most read page</th>
            <th scope="col">Reads of it</th>
          </tr>
        </thead>
        <tbody>
          ${read.map(
            ({ from, to, page, reads }) =>
              html`<tr>
                <td>${from === to ? from : html`${from}–${to}`}</td>
                <td><a href="${pagePath(view, page)}">Page ${page}</a></td>
                <td>${number(reads)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`
}

function sessions({ sessions: list }: BookReads): Html | '' {
  if (list.length === 0) return ''
  return html`<h3>Your research in this book</h3>
    <ul class="book-sessions">
      ${list.map(
        ({ startedAt, intent, program, pagesRead }) =>
          html`<li>
            <span dir="auto">${intent ?? 'Research without a title'}</span>
            <span class="facts">${programName(program)}, ${formatDay(startedAt)}, ${formatPageCount(pagesRead)}</span>
          </li>`,
      )}
    </ul>`
}
