import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { ShelfList, Shelf, Success } from '../../../shelves/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { emptyState } from '../../components/empty-state.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, idempotencyKeyOf, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { libraryUrl } from '../library/library-query.ts'

/** Mounts /shelves: the shelves of the signed-in account, their names, colours and order. */
export function mountShelves(routes: PageRoutes): void {
  routes.signedInPage('GET', '/shelves', (visit) => shelvesPage(visit))
  const act = (path: string, done: string, submit: (visit: SignedInVisit, form: Form) => Promise<unknown>) =>
    mountShortForm(routes, path, {
      typed: { name: 'Name' },
      answer: (visit) =>
        handleForm({
          read: () => readSessionForm(visit),
          async submit(form) {
            await submit(visit, form)
            return redirect(visit, `/shelves?done=${done}`)
          },
          renderAgain: (state) => shelvesPage(visit, state),
        }),
    })
  act('/shelves', 'created', createShelf)
  act('/shelves/change', 'changed', changeShelf)
  act('/shelves/move', 'moved', moveShelf)
  act('/shelves/delete', 'deleted', (visit, form) =>
    callToolForVisit(visit, { name: 'delete_shelf', raw: { shelf: form.get('shelf') ?? '' } }, Success),
  )
}

/** The colour, if its checkbox is checked; a colour input cannot be empty. */
function colourOf(form: Form): { color?: string } {
  const color = form.get('color')
  return form.get('coloured') === 'on' && color !== null ? { color } : {}
}

function createShelf(visit: SignedInVisit, form: Form): Promise<Shelf> {
  const raw = { name: form.get('name') ?? '', ...colourOf(form) }
  return callToolForVisit(visit, { name: 'create_shelf', raw, idempotencyKey: idempotencyKeyOf(form) }, Shelf)
}

function changeShelf(visit: SignedInVisit, form: Form): Promise<Shelf> {
  const raw = { shelf: form.get('shelf') ?? '', name: form.get('name') ?? '', color: null, ...colourOf(form) }
  return callToolForVisit(visit, { name: 'update_shelf', raw }, Shelf)
}

/** How far a shelf moves down, by the direction in the form. */
const stepsOf = new Map([
  ['up', -1],
  ['down', 1],
])

/** Moves a shelf to `position`, or up or down by one. */
async function moveShelf(visit: SignedInVisit, form: Form): Promise<Shelf> {
  const { shelves } = await callToolForVisit(visit, { name: 'list_shelves' }, ShelfList)
  const shelf = shelves.find(({ id }) => id === form.get('shelf'))
  if (!shelf) throw new AppError('SHELF_NOT_FOUND', 'This shelf has been deleted.')
  const steps = stepsOf.get(form.get('direction') ?? '')
  const target =
    steps === undefined ? Number(/^\d{1,4}$/.exec(form.get('position') ?? '')?.[0]) : shelf.position + steps
  if (Number.isNaN(target)) throw new AppError('INVALID_INPUT', 'Choose a place for the shelf.')
  const position = Math.max(0, Math.min(shelves.length - 1, target))
  return callToolForVisit(visit, { name: 'update_shelf', raw: { shelf: shelf.id, position } }, Shelf)
}

const notices = new Map([
  ['created', 'Shelf created.'],
  ['changed', 'Shelf changed.'],
  ['moved', 'Shelf moved.'],
  ['deleted', 'Shelf deleted. Its books are still in your library.'],
])

async function shelvesPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { shelves } = await callToolForVisit(visit, { name: 'list_shelves' }, ShelfList)
  const token = sessionToken(visit)
  const notice = notices.get(visit.url.searchParams.get('done') ?? '')
  const failed = state.form?.get('shelf') ?? null
  return respondPage(visit, {
    title: 'Shelves',
    currentPath: '/shelves',
    scripts: ['shelves'],
    exposeCsrfToken: true,
    problem: state.problem,
    content: html`<div class="page-head">
        <h1>Shelves</h1>
        <a class="button quiet" href="/library">${icon('library')}Library</a>
      </div>
      ${notice && !state.problem ? html`<p class="notice" role="status">${notice}</p>` : ''}
      ${formProblem(withoutField(state))}
      ${
        shelves.length === 0
          ? emptyState({
              icon: 'folder',
              title: 'No shelves yet',
              text: 'A shelf keeps books together, such as those for one course. Name the first one below.',
            })
          : html`<p class="facts" id="order-help" data-order-help hidden>
                Drag a shelf by its handle, or lift it with the space bar, move it with the arrow keys and put it down
                with the space bar.
              </p>
              <p class="hidden-text" aria-live="assertive" data-order-news></p>
              <ol class="shelf-list" data-shelves>
                ${shelves.map((shelf, at) => shelfRow(shelf, { token, isFirst: at === 0, isLast: at === shelves.length - 1, state }))}
              </ol>`
      }
      <h2 id="new-heading">New shelf</h2>
      <form method="post" action="/shelves" class="form" aria-labelledby="new-heading">
        ${hiddenField('csrf', token)}
        ${field(failed === null ? state : {}, { name: 'name', label: 'Name', autocomplete: 'off', maxlength: 50 })}
        ${colourField('new', failed === null ? typedColour(state) : null)}
        <button>${icon('folder-plus')}Create shelf</button>
      </form>`,
  })
}

/** Moves the problem to the top of the form, whatever its field. */
function withoutField({ problem, ...state }: FormState): FormState {
  return problem ? { ...state, problem: { ...problem, field: null } } : state
}

interface RowOptions {
  token: string
  isFirst: boolean
  isLast: boolean
  state: FormState
}

function shelfRow(shelf: Shelf, { token, isFirst, isLast, state }: RowOptions): Html {
  const { id, name, slug, color, itemCount } = shelf
  const isOpen = state.form?.get('shelf') === id && state.form.has('name')
  const books = itemCount === 1 ? '1 book' : `${itemCount.toLocaleString('en-GB')} books`
  return html`<li class="shelf-row" data-shelf="${id}" data-name="${name}">
    <button type="button" class="grip" data-grip hidden aria-describedby="order-help" aria-pressed="false">
      ${icon('grip-vertical')}<span class="hidden-text">Move ${name}</span>
    </button>
    ${swatch(color)}
    <div class="shelf-name">
      <a href="${libraryUrl({ filter: { shelf: slug } })}" dir="auto">${name}</a>
      <span class="facts">${books}</span>
    </div>
    <form method="post" action="/shelves/move" class="shelf-moves">
      ${hiddenField('csrf', token)} ${hiddenField('shelf', id)} ${moveButton(name, 'up', isFirst)}
      ${moveButton(name, 'down', isLast)}
    </form>
    <details class="shelf-change" ${isOpen ? html`open` : ''}>
      <summary class="button quiet small">${icon('pencil')}Change<span class="hidden-text"> ${name}</span></summary>
      <form method="post" action="/shelves/change" class="form">
        ${hiddenField('csrf', token)} ${hiddenField('shelf', id)}
        <div class="field">
          <label for="name-${id}">Name</label>
          <input
            id="name-${id}"
            name="name"
            value="${isOpen ? (state.form?.get('name') ?? name) : name}"
            required
            maxlength="50"
            autocomplete="off"
          />
        </div>
        ${colourField(id, isOpen ? typedColour(state) : color)}
        <button>${icon('check')}Save</button>
      </form>
      <form method="post" action="/shelves/delete" class="form">
        ${hiddenField('csrf', token)} ${hiddenField('shelf', id)}
        <p class="facts">The books of a deleted shelf stay in your library.</p>
        <button class="quiet small danger">
          ${icon('trash')}Delete shelf<span class="hidden-text"> ${name}</span>
        </button>
      </form>
    </details>
  </li>`
}

function moveButton(name: string, direction: 'up' | 'down', isDisabled: boolean): Html {
  const label = direction === 'up' ? 'Move up' : 'Move down'
  // At the end of the list the button is disabled but keeps its space.
  return html`<button
    class="quiet small"
    name="direction"
    value="${direction}"
    ${isDisabled ? html`aria-disabled="true"` : ''}
  >
    ${icon(direction === 'up' ? 'arrow-up' : 'arrow-down')}<span class="hidden-text">${label}: ${name}</span>
  </button>`
}

/** The submitted colour; null: none was chosen, although the field always has one. */
const typedColour = ({ form }: FormState) => (form?.get('coloured') === 'on' ? form.get('color') : null)

const defaultColour = '#7a3418'

function colourField(id: string, color: string | null): Html {
  return html`<div class="field colour-field">
    <label class="tick"
      ><input type="checkbox" name="coloured" value="on" ${color === null ? '' : html`checked`} /><span
        >With a colour</span
      ></label
    >
    <label class="hidden-text" for="color-${id}">Colour</label>
    <input id="color-${id}" type="color" name="color" value="${color ?? defaultColour}" />
  </div>`
}

/** The colour of a shelf as an SVG, because the Content-Security-Policy forbids inline styles. */
function swatch(color: string | null): Html {
  return html`<svg class="swatch" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <rect
      x="1"
      y="1"
      width="14"
      height="14"
      rx="4"
      fill="${color ?? 'none'}"
      stroke="currentColor"
      stroke-opacity="0.35"
    />
  </svg>`
}
