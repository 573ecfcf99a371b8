import { fileFormats, formatOfBook } from '../books/file-formats.ts'
import { html } from 'hono/html'
import type { AccessibleBook } from '../books/access.ts'
import type { Listing } from '../marketplace/listing-store.ts'
import { binDays } from '../books/bin.ts'
import { findDeletedItems } from '../books/list-deleted-items.ts'
import { formatSize } from '../text/format-size.ts'
import { sessionToken, type SignedInVisit } from './visit.ts'
import { hiddenField } from './components/fields.ts'
import { icon } from './components/icon.ts'
import { menu } from './components/menu.ts'
import type { Html } from './components/html.ts'

/** Maximum number of books in one notice. */
const maxNoticed = 200

/**
 * Actions for a book other than reading it: download the original file, export the text, delete the book. On the page of
 * an older version, the export says that it has the current one.
 */
export function bookActions(visit: SignedInVisit, book: AccessibleBook, { isOlder }: { isOlder: boolean }): Html {
  const { id, original, version, access, status } = book
  const inFull = access.previewPages === null
  const file = original && inFull && status !== 'DRAFT' ? original : null
  return html`<div class="book-actions">
    ${
      file
        ? html`<a class="button quiet small" href="/books/${id}/download" download
            >${icon('download')}Original
            <span class="book-action-fact">${fileFormats[formatOfBook(book)].name}, ${formatSize(file.bytes)}</span></a
          >`
        : ''
    }
    ${version > 0 && inFull ? exportMenu(id, isOlder ? version : null) : ''}
    ${access.kind === 'own' ? deleteMenu(visit, book) : ''}
  </div>`
}

/** `current` is the number of the version that is exported, if the page shows another one. */
function exportMenu(id: string, current: number | null): Html {
  const format = (name: string, title: string, fact: string) =>
    html`<li>
      <a href="/books/${id}/export?format=${name}" download>${title} <span class="book-action-fact">${fact}</span></a>
    </li>`
  return menu({
    label: 'Export',
    className: 'book-action',
    content: html`${current === null ? '' : html`<p class="facts">Exports the current text, version ${current}.</p>`}
      <ul>
        ${format('epub', 'EPUB', 'for e-readers')} ${format('markdown', 'Markdown', 'one text file')}
      </ul>`,
  })
}

function deleteMenu(visit: SignedInVisit, { id, title }: AccessibleBook): Html {
  return menu({
    label: 'Delete',
    className: 'book-action',
    content: html`<form class="book-action-form" method="post" action="/library/delete">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('ids', id)}
      <p>
        You can bring <cite dir="auto">${title}</cite> back for ${binDays} days. Teams and readers lose access at once;
        its marketplace listing and readers’ requests do not come back.
      </p>
      <button class="grave small">Delete this book</button>
    </form>`,
  })
}

/** The menu that removes a book of the marketplace from the reader's library. */
export function removeMenu(visit: SignedInVisit, { title, listing }: { title: string; listing: Listing }): Html {
  return menu({
    label: 'Remove',
    className: 'book-action',
    content: html`<form class="book-action-form" method="post" action="/discover/remove">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('listing', listing.id)}
      <p>
        <cite dir="auto">${title}</cite> leaves your library and your
        shelves.${listing.status === 'WITHDRAWN' ? ' You cannot add it again, because it is no longer on the marketplace.' : ''}
      </p>
      <button class="small">Remove from my library</button>
    </form>`,
  })
}

/** The notice after a deletion that left out books of other owners (`?foreign=2`). */
function foreignNotice({ url }: SignedInVisit): Html | '' {
  const count = Number(/^\d{1,4}$/.exec(url.searchParams.get('foreign') ?? '')?.[0] ?? 0)
  if (count === 0) return ''
  const [subject, each] =
    count === 1 ? ['1 book was', 'it'] : [`${count.toLocaleString('en-GB')} books were`, 'each of them']
  return html`<p class="notice" role="status">
    ${subject} not deleted, because you can delete only your own books. To remove a book of the marketplace from your
    library, open ${each} and choose “Remove”.
  </p>`
}

/**
 * The notice on the library page after books were deleted (`?deleted=ID,ID`), with a button that restores them, or
 * after they were restored (`?returned=ID,ID`), and after books were not deleted (`?foreign=1`). Empty on every other
 * visit, and for ids that are not the caller's.
 */
export async function deletedNotice(visit: SignedInVisit): Promise<Html> {
  return html`${await ownNotice(visit)} ${foreignNotice(visit)}`
}

async function ownNotice(visit: SignedInVisit): Promise<Html | ''> {
  const deletedIds = idsIn(visit, 'deleted')
  if (deletedIds.length > 0) return noticeOfDeleted(visit, deletedIds)
  const returnedIds = idsIn(visit, 'returned')
  if (returnedIds.length === 0) return ''
  const books = await visit.ctx.books.findOwned(visit.ctx.actor.id, returnedIds)
  if (books.length === 0) return ''
  return html`<p class="notice" role="status">${nameBooks(books)} ${books.length === 1 ? 'is' : 'are'} back.</p>`
}

async function noticeOfDeleted(visit: SignedInVisit, ids: readonly string[]): Promise<Html | ''> {
  const books = await findDeletedItems(visit.ctx, ids)
  if (books.length === 0) return ''
  const [subject, verb] = [nameBooks(books), books.length === 1 ? 'was' : 'were']
  return html`<div class="notice undo" role="status">
    <p>
      ${subject} ${verb} deleted and can be brought back for ${binDays} days from
      <a href="/library/deleted">Deleted books</a>.
    </p>
    <form method="post" action="/library/deleted">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('action', 'undelete')} ${hiddenField('from', 'library')}
      ${hiddenField('ids', books.map(({ id }) => id).join(','))}
      <button class="quiet small">Undo</button>
    </form>
  </div>`
}

/** The title of a single book, or the number of several. */
export function nameBooks(books: readonly { title: string }[]): Html {
  const [only] = books
  return books.length === 1 && only
    ? html`<cite dir="auto">${only.title}</cite>`
    : html`${books.length.toLocaleString('en-GB')} books`
}

function idsIn({ url }: SignedInVisit, name: string): string[] {
  return [...new Set((url.searchParams.get(name) ?? '').split(','))].filter((id) => id !== '').slice(0, maxNoticed)
}
