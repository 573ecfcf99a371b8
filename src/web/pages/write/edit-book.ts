import { html } from 'hono/html'
import { listDrafts, type TitledDraft } from '../../../writing/find-drafts.ts'
import { listEditablePages, type ListedPages } from '../../../writing/open-page-editor.ts'
import type { Html } from '../../components/html.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDateTime } from '../../format/format-time.ts'
import type { SignedInVisit } from '../../visit.ts'
import { respondEditorRefusal } from './respond-editor.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** Mounts /books/{id}/edit: the pages of a Markdown book, each with its editor. */
export function mountEditBook(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/edit', async (visit) => {
    const { id = '' } = visit.params
    const from = Number(/^[1-9]\d{0,8}$/.exec(visit.url.searchParams.get('from') ?? '')?.[0] ?? 1)
    try {
      const listed = await listEditablePages(visit.ctx, { id, from })
      return await respondList(visit, { listed, from, drafts: await listDrafts(visit.ctx) })
    } catch (error) {
      return respondEditorRefusal(visit, { id, error, text: null })
    }
  })
}

interface EditableList {
  listed: ListedPages
  from: number
  drafts: readonly TitledDraft[]
}

function respondList(visit: SignedInVisit, list: EditableList): Promise<Response> {
  const { book } = list.listed
  return respondPage(visit, { title: `Edit ${book.title}`, content: listView(visit, list) })
}

function listView({ url }: SignedInVisit, { listed, from, drafts }: EditableList): Html {
  const { book, manifest, nextFrom } = listed
  const count = manifest.pageCount
  const isEmpty = count === 0
  const addAtEnd = html`<a class="button" href="/books/${book.id}/edit/end"
    >${isEmpty ? 'Write the first page' : 'Add a page at the end'}</a
  >`
  return html`<p class="kind"><a href="/books/${book.id}">Back to the book</a></p>
    <h1 class="under-kind" dir="auto" lang="${book.language ?? ''}">${book.title}</h1>
    ${
      url.searchParams.get('done') === 'discarded'
        ? html`<p class="notice" role="status">The draft is discarded.</p>`
        : ''
    }
    <p class="facts">
      ${isEmpty ? 'No pages yet' : formatPageCount(count)}. Version ${manifest.version},
      ${formatDateTime(manifest.createdAt)}.
      <a href="/books/${book.id}/versions">All versions</a>
    </p>
    <div class="choices">
      ${addAtEnd}
      ${isEmpty ? '' : html`<a class="button quiet" href="/books/${book.id}/edit/start">Add a page at the start</a>`}
    </div>
    ${draftList(drafts, book.id)}
    ${isEmpty ? html`<p>This book is empty. Its first page begins with a heading, such as “# Chapter 1”.</p>` : pageList(listed)}
    ${partLinks(book.id, { from, nextFrom })}`
}

function pageList({ book, pages }: ListedPages): Html {
  return html`<h2>Pages</h2>
    <ol class="page-list">
      ${pages.map(
        ({ pageNum, firstLine }) =>
          html`<li>
            <a href="/books/${book.id}/edit/${pageNum}"
              ><span class="page-number">${pageNum}</span>
              <span class="first-line" dir="auto" lang="${book.language ?? ''}">${firstLine || 'No text'}</span></a
            >
          </li>`,
      )}
    </ol>`
}

function partLinks(id: string, { from, nextFrom }: { from: number; nextFrom: number | null }): Html | '' {
  if (from === 1 && nextFrom === null) return ''
  return html`<nav class="turning" aria-label="More pages">
    ${from > 1 ? html`<a rel="prev" href="/books/${id}/edit">← From page 1</a>` : html`<span></span>`}
    ${nextFrom === null ? '' : html`<a rel="next" href="/books/${id}/edit?from=${nextFrom}">From page ${nextFrom} →</a>`}
  </nav>`
}

/** Drafts of this book, then those of others, because a limit applies to all of them. */
function draftList(drafts: readonly TitledDraft[], id: string): Html | '' {
  if (drafts.length === 0) return ''
  const sorted = drafts.toSorted((a, b) => Number(b.itemId === id) - Number(a.itemId === id))
  return html`<h2>Your drafts</h2>
    <ul class="rows">
      ${sorted.map(
        (draft) =>
          html`<li>
            <div>
              <p>
                <a href="/books/${draft.itemId}/edit/${draft.place}">${placeWords(draft.place)}</a>
                ${draft.itemId === id ? '' : html`of <bdi>${draft.title}</bdi>`}
              </p>
              <p class="quiet-text">${formatDateTime(draft.at)}</p>
            </div>
          </li>`,
      )}
    </ul>`
}

function placeWords(place: string): string {
  if (place === 'start') return 'A new page at the start'
  return place === 'end' ? 'A new page at the end' : `Page ${place}`
}
