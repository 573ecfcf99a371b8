import { fileFormats, formatOfBook } from '../../books/file-formats.ts'
import { html } from 'hono/html'
import type { AccessibleBook } from '../../books/access.ts'
import { isUnwritten } from '../../books/text-health.ts'
import type { BookSurroundings } from '../../library/describe-books.ts'
import { recognitionProgress } from '../../imports/ocr-service.ts'
import { isImporting } from '../../library/library-filter.ts'
import { programName } from '../format/program-name.ts'
import { cover } from './cover.ts'
import type { Html } from './html.ts'
import { formatPageCount } from '../format/format-page-count.ts'

/** A reader's progress in a book. */
export interface CardProgress {
  page: number
  of: number
}

/** A book as shown in a list of books. */
export interface BookCard extends BookSurroundings {
  book: AccessibleBook
  locked: boolean
  /** Null: not begun. */
  progress: CardProgress | null
  /** The progress of its import; null if there is none, or if it is unknown. */
  importState: Html | null
  /** URL path of its cover picture; null: a cover is drawn. */
  pictureUrl: string | null
}

interface Selection {
  /** Name of the form field of the checkboxes. */
  select: string
  /** Ids of the selected books. */
  ticked: readonly string[]
}

/** A book in a list, with a checkbox, its cover and the facts that people choose by. */
export function bookCard(card: BookCard, { select, ticked }: Selection): Html {
  const { book, importState } = card
  const waiting = isImporting(book) && book.version === 0
  return html`<li class="book-card" id="book-${book.id}" ${importState ? html`data-renew-when-ended` : ''}>
    ${tickBox(book, select, ticked.includes(book.id))}
    <a class="book-cover" href="/books/${book.id}" tabindex="-1" aria-hidden="true"
      >${cover({ title: book.title, author: book.author, language: book.language, pictureUrl: card.pictureUrl, waiting })}</a
    >
    <div class="book-words">
      <h2 class="book-name"><a href="/books/${book.id}" dir="auto" lang="${book.language ?? ''}">${book.title}</a></h2>
      ${book.author ? html`<p class="book-author"><span dir="auto">${book.author}</span></p>` : ''}
      ${importState ?? progressLine(card)}
      <p class="facts book-facts">${facts(card)}</p>
      ${badges(card)}
    </div>
  </li>`
}

function tickBox({ id, title }: AccessibleBook, name: string, isTicked: boolean): Html {
  return html`<label class="book-tick"
    ><input type="checkbox" name="${name}" value="${id}" ${isTicked ? html`checked` : ''} /><span class="hidden-text"
      >Select ${title}</span
    ></label
  >`
}

function progressLine({ book, progress }: BookCard): Html | '' {
  if (!progress) return ''
  const words = `Page ${number(progress.page)} of ${number(progress.of)}`
  return html`<progress
    class="book-progress"
    max="${Math.max(1, progress.of)}"
    value="${progress.page}"
    aria-label="Read of ${book.title}"
    title="${words}"
  ></progress>`
}

function facts({ book, progress, manuscript, from }: BookCard): string {
  const pages = formatPageCount(book.pageCount)
  const length = progress ? `p. ${number(progress.page)} of ${number(progress.of)}` : pages
  return [
    ...(book.version > 0 ? [length] : []),
    fileFormats[formatOfBook(book)].name,
    ...(manuscript ? [`maintained by ${programName(manuscript.keeper)}`] : []),
    ...(from === null ? [] : [`from ${from}`]),
    ...(book.access.kind === 'system' ? ['in every library'] : []),
  ].join(' · ')
}

function badges(card: BookCard): Html | '' {
  const { book, locked, published, sharedWith, requests } = card
  const isOwn = book.access.kind === 'own'
  const words: [word: string, kind: '' | 'alarm', shown: boolean][] = [
    ['No text yet', '', isOwn && isUnwritten(book)],
    [problemOf(card) ?? '', 'alarm', problemOf(card) !== null],
    ['Text being recognised', '', isOwn && isBeingRecognised(book)],
    ['Waiting for its file', '', book.status === 'DRAFT'],
    ['Locked', 'alarm', locked],
    [requests === 1 ? '1 request by readers' : `${number(requests)} requests by readers`, '', requests > 0],
    ['Published', '', published],
    [sharedWith === 1 ? 'Shared' : `Shared with ${sharedWith} teams`, '', sharedWith > 0],
    ['Shared with you', '', book.access.teamAccess !== null],
    ['Preview', '', book.access.previewPages !== null],
  ]
  const shown = words.filter(([, , isShown]) => isShown)
  if (shown.length === 0) return ''
  return html`<ul class="badges">
    ${shown.map(([word, kind]) => html`<li class="badge ${kind}">${word}</li>`)}
  </ul>`
}

const problems: ReadonlyMap<string, string> = new Map(
  Object.entries({
    failed: 'Import failed',
    empty: 'No text',
    unreadable: 'Text unreadable',
    partial: 'Text incomplete',
    stuck: 'Import stuck',
    needs_confirmation: 'Check the details',
  }),
)

function problemOf({ book }: BookCard): string | null {
  if (book.access.kind !== 'own' || isUnwritten(book) || isBeingRecognised(book)) return null
  return book.status === 'FAILED' ? 'Import failed' : (problems.get(book.health) ?? null)
}

function isBeingRecognised({ status, healthReason }: AccessibleBook): boolean {
  return status === 'READY' && recognitionProgress(healthReason) !== null
}

const number = (count: number) => count.toLocaleString('en-GB')
