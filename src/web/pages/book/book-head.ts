import { fileFormats, formatOfBook } from '../../../books/file-formats.ts'
import { html } from 'hono/html'
import { addedAt, canWrite, type AccessibleBook } from '../../../books/access.ts'
import { coverPath } from '../../../books/cover.ts'
import { isUnwritten } from '../../../books/text-health.ts'
import { unfinishedPagesOf } from '../../../books/unfinished.ts'
import type { BookDescription } from '../../../reading/describe-book.ts'
import { importExtentOf } from '../../../reading/find-unfinished.ts'
import { pageUrl } from '../../../reading/page-url.ts'
import type { BookSurroundings } from '../../../library/describe-books.ts'
import type { ReadingPosition } from '../../../reading/reading-position-store.ts'
import { languageName } from '../../../text/language-name.ts'
import { cover } from '../../components/cover.ts'
import { factsList } from '../../components/facts-list.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import { programName } from '../../format/program-name.ts'
import { newerVersionNotice, pagePath, previewNotice } from './opened-book.ts'
import { textAdvice } from './text-advice.ts'
import { readyPages, unfinishedNotice } from './unfinished-book.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

interface BookHead extends BookDescription {
  position: ReadingPosition | null
  /** The owner's name; null for the caller's own and built-in books. */
  from: string | null
  manuscript: BookSurroundings['manuscript']
  actions: Html
}

/** The head of a book's page: cover, title, author, actions, and facts. */
export function bookHead(head: BookHead): Html {
  const { book, outline, actions } = head
  const { title, author, language, description } = book
  return html`<div class="book-head">
    <div class="book-head-cover">
      ${cover({ title, author, language, pictureUrl: coverPath(book), waiting: book.version === 0 })}
    </div>
    <div class="book-head-words">
      <h1 dir="auto" lang="${language ?? ''}">${title}</h1>
      ${author ? html`<p class="lead" dir="auto">${author}</p>` : ''}
      ${outline ? newerVersionNotice(outline, `/books/${book.id}`) : ''} ${outline ? previewNotice(outline) : ''}
      ${unfinishedNotice({ book })} ${unfinishedPagesOf(book) && book.health !== 'stuck' ? '' : healthNotice(book)}
      <div class="actions book-head-actions">${readLink(head)} ${actions}</div>
      ${description ? html`<p class="book-description" dir="auto" lang="${language ?? ''}">${description}</p>` : ''}
      ${facts(head)}
    </div>
  </div>`
}

function healthNotice(book: AccessibleBook): Html | '' {
  if (book.access.kind !== 'own') return ''
  const { advice, link } = textAdvice(book)
  if (advice === null) return ''
  return html`<p class="notice">${advice} ${link ? html`<a href="${link[0]}">${link[1]}</a>` : ''}</p>`
}

function readLink({ book, outline, position }: BookHead): Html | '' {
  if (canWrite(book) && isUnwritten(book))
    return html`<a class="button" href="/books/${book.id}/edit/end">Write the first page</a>`
  const lastPage = outline?.lastPage ?? unfinishedPagesOf(book)?.pages ?? 0
  if (lastPage === 0) return ''
  const isOpen = position !== null && position.page > 1 && position.page <= lastPage
  const [page, label] = isOpen
    ? [position.page, `Continue on page ${position.page.toLocaleString('en-GB')}`]
    : [1, 'Read from page 1']
  const path = outline ? pagePath(outline, page) : pageUrl({ baseUrl: '' }, { id: book.id, version: 0, pageNum: page })
  return html`<a class="button" href="${path}">${label}</a>`
}

function facts({ book, outline, from, manuscript }: BookHead): Html {
  const rows: [name: string, value: Html | string][] = [
    ['Format', fileFormats[formatOfBook(book)].name],
    ['Length', length({ book, outline })],
    ...(book.language ? [['Language', languageName(book.language)] as [string, string]] : []),
    ...(book.publisher ? [['Publisher', book.publisher] as [string, string]] : []),
    ...(book.isbn ? [['ISBN', book.isbn] as [string, string]] : []),
    ...(from === null ? [] : [['From', html`<bdi>${from}</bdi>`] as [string, Html]]),
    ...(manuscript
      ? [
          ['Manuscript', html`<a href="/library/manuscripts">Maintained by ${programName(manuscript.keeper)}</a>`] as [
            string,
            Html,
          ],
        ]
      : []),
    ['Added', formatDay(addedAt(book))],
    ...(outline
      ? [['Version', html`${outline.manifest.version}, ${formatDay(outline.manifest.createdAt)}`] as [string, Html]]
      : []),
    ...(book.access.kind === 'own' ? [['Text', textAdvice(book).short] as [string, string]] : []),
  ]
  return factsList(rows)
}

function length({ book, outline }: Pick<BookHead, 'book' | 'outline'>): string {
  if (outline) return formatPageCount(outline.manifest.pageCount)
  const extent = importExtentOf(book)
  return extent.unfinished ? `${readyPages(extent)} so far` : formatPageCount(book.pageCount)
}

/** What the book is useful for, according to its metadata. Empty if there is nothing. */
export function bookUses({ sampleQuestion, outcomes, language }: AccessibleBook): Html | '' {
  if (sampleQuestion === null && outcomes.length === 0) return ''
  return html`<section aria-labelledby="uses">
    <h2 id="uses">What you can ask this book</h2>
    ${
      sampleQuestion === null
        ? ''
        : html`<p class="sample-question" dir="auto" lang="${language ?? ''}">${sampleQuestion}</p>`
    }
    ${
      outcomes.length === 0
        ? ''
        : html`<ul>
            ${outcomes.map((outcome) => html`<li dir="auto" lang="${language ?? ''}">${outcome}</li>`)}
          </ul>`
    }
  </section>`
}
