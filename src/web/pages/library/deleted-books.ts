import { html } from 'hono/html'
import { DeletedItemList, ErasedItem, UndeletedItem, type DeletedItem } from '../../../books/bin-schema.ts'
import { binDays } from '../../../books/bin.ts'
import { findAccessibleBooks } from '../../../books/access.ts'
import { DeletedItems } from '../../../books/schema.ts'
import { AppError } from '../../../core/errors.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { nameBooks } from '../../book-actions.ts'
import { emptyState } from '../../components/empty-state.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { menu } from '../../components/menu.ts'
import { formatSize } from '../../../text/format-size.ts'
import { formatDateTime, formatDay } from '../../format/format-time.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Maximum size of the form in bytes; enough for the ids of thousands of books. */
const maxFormBytes = 256 * 1024
/** Maximum number of books in one call of the tool. */
const deleteBatch = 50

/** Mounts /library/deleted, which lists deleted books and restores or erases them, and POST /library/delete. */
export function mountDeletedBooks(routes: PageRoutes): void {
  routes.signedInPage('GET', '/library/deleted', (visit) => deletedPage(visit))
  routes.signedInPage('POST', '/library/deleted', (visit) =>
    handleForm({
      read: () => readSessionForm(visit, maxFormBytes),
      submit: (form) => (form.get('action') === 'erase' ? eraseBooks(visit, form) : restoreDeleted(visit, form)),
      renderAgain: (state) => deletedPage(visit, state),
    }),
  )
  routes.signedInPage('POST', '/library/delete', (visit) =>
    handleForm({
      read: () => readSessionForm(visit, maxFormBytes),
      submit: (form) => deleteBooks(visit, form),
      renderAgain: (state) => notDeletedPage(visit, state),
    }),
  )
}

async function deleteBooks(visit: SignedInVisit, form: Form): Promise<Response> {
  const ids = idsOf(form)
  const deleted: string[] = []
  const others: string[] = []
  for (let first = 0; first < ids.length; first += deleteBatch) {
    const raw = { ids: ids.slice(first, first + deleteBatch) }
    const answer = await callToolForVisit(visit, { name: 'delete_items', raw }, DeletedItems)
    deleted.push(...answer.deleted)
    others.push(...answer.notFound)
  }
  const foreign = (await findAccessibleBooks(visit.ctx, others)).length
  const query = [
    ...(deleted.length > 0 ? [`deleted=${deleted.join(',')}`] : []),
    ...(foreign > 0 ? [`foreign=${foreign}`] : []),
  ]
  return redirect(visit, query.length > 0 ? `/library?${query.join('&')}` : '/library')
}

async function restoreDeleted(visit: SignedInVisit, form: Form): Promise<Response> {
  const ids = idsOf(form)
  for (const itemId of ids) await callToolForVisit(visit, { name: 'undelete_item', raw: { itemId } }, UndeletedItem)
  const page = form.get('from') === 'library' ? '/library' : '/library/deleted'
  return redirect(visit, `${page}?returned=${ids.join(',')}`)
}

async function eraseBooks(visit: SignedInVisit, form: Form): Promise<Response> {
  for (const itemId of idsOf(form))
    await callToolForVisit(visit, { name: 'erase_deleted_item', raw: { itemId } }, ErasedItem)
  return redirect(visit, '/library/deleted?done=erased')
}

/** The ids in a form, in separate fields or comma-separated. */
function idsOf(form: Form): string[] {
  const ids = [...new Set(form.getAll('ids').flatMap((field) => field.split(',')))].filter((id) => id !== '')
  if (ids.length > 0) return ids
  throw new AppError('INVALID_INPUT', 'No book was selected. Select at least one.')
}

function notDeletedPage(visit: SignedInVisit, state: FormState): Promise<Response> {
  return respondPage(visit, {
    title: 'Delete books',
    problem: state.problem,
    content: html`<h1>Nothing was deleted</h1>
      ${formProblem(state)}
      <p><a href="/library">Go back to the library</a></p>`,
  })
}

async function deletedPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const cursor = visit.request.method === 'GET' ? visit.url.searchParams.get('cursor') : null
  const raw = { limit: 100, ...(cursor === null ? {} : { cursor }) }
  const { items, nextCursor } = await callToolForVisit(visit, { name: 'list_deleted_items', raw }, DeletedItemList)
  return respondPage(visit, {
    title: 'Deleted books',
    problem: state.problem,
    content: html`<h1>Deleted books</h1>
      ${state.problem ? formProblem(state) : await outcomeNotice(visit)}
      ${
        items.length === 0
          ? emptyState({
              icon: 'trash',
              title: 'No deleted books',
              text: `A book that you delete stays here for ${binDays} days, and you can bring it back.`,
              actions: html`<a class="button" href="/library">Go to the library</a>`,
            })
          : html`<p class="lead">
                A deleted book stays here for ${binDays} days. It does not count towards your books or your storage.
              </p>
              <p>
                A book that you bring back has its text, all versions, its original file, its details and its shelves
                again. It does not have its team shares, its marketplace listing or readers’ requests any more. If there
                are more books here than your plan allows, those deleted first are erased early.
              </p>
              <ul class="deleted-books">
                ${items.map((item) => deletedRow(visit, item))}
              </ul>`
      }
      ${nextCursor === undefined ? '' : html`<p><a href="/library/deleted?cursor=${nextCursor}">Show more</a></p>`}`,
  })
}

async function outcomeNotice({ url, ctx }: SignedInVisit): Promise<Html | ''> {
  if (url.searchParams.get('done') === 'erased') return html`<p class="notice" role="status">Erased.</p>`
  const ids = (url.searchParams.get('returned') ?? '').split(',').slice(0, 200)
  const books = await ctx.books.findOwned(ctx.actor.id, ids)
  const [only] = books
  if (!only) return ''
  const [name, verb] = [nameBooks(books), books.length === 1 ? 'is' : 'are']
  return html`<p class="notice" role="status">
    ${books.length === 1 ? html`<a href="/books/${only.id}">${name}</a>` : name} ${verb} back in your library.
  </p>`
}

function deletedRow(visit: SignedInVisit, item: DeletedItem): Html {
  const { id, title, author, pageCount, bytes, deletedAt, erasedAt } = item
  const fields = (action: 'undelete' | 'erase') =>
    html`${hiddenField('csrf', sessionToken(visit))} ${hiddenField('action', action)} ${hiddenField('ids', id)}`
  return html`<li>
    <div class="deleted-book">
      <h2 id="book-${id}" dir="auto">${title}</h2>
      ${author ? html`<p class="quiet-text" dir="auto">${author}</p>` : ''}
      <p class="facts">
        ${pageCount === 0 ? '' : pageCount === 1 ? '1 page, ' : `${pageCount.toLocaleString('en-GB')} pages, `}${formatSize(bytes)}.
        Deleted ${formatDay(deletedAt)}, stays until ${formatDateTime(erasedAt)}.
      </p>
    </div>
    <div class="deleted-actions">
      <form method="post" action="/library/deleted">
        ${fields('undelete')}<button class="quiet small" aria-describedby="book-${id}">Bring back</button>
      </form>
      ${menu({
        label: html`Erase now<span class="hidden-text">: ${title}</span>`,
        className: 'book-action',
        content: html`<form class="book-action-form" method="post" action="/library/deleted">
          ${fields('erase')}
          <p>The book, all its versions and its original file will be gone for good.</p>
          <button class="grave small" aria-describedby="book-${id}">Erase for good</button>
        </form>`,
      })}
    </div>
  </li>`
}
