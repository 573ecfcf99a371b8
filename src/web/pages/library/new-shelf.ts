import { html } from 'hono/html'
import { Shelf } from '../../../shelves/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import { idempotencyKeyOf, type Form, type FormState } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** The value of the field for a shelf that stands for a new one. It is neither an id nor a slug. */
export const newShelf = ':new'

interface NewShelfPage {
  ids: readonly string[]
  /** The path of the library page on which the books were selected. */
  back: string
  state?: FormState
}

/** Asks for the name of a new shelf for the selected books. */
export function newShelfPage(visit: SignedInVisit, { ids, back, state = {} }: NewShelfPage): Promise<Response> {
  return respondPage(visit, {
    title: 'New shelf',
    currentPath: '/library',
    problem: state.problem,
    content: html`<h1>New shelf</h1>
      <p class="lead">
        ${ids.length === 1 ? 'The selected book is' : `The ${ids.length} selected books are`} put on it.
      </p>
      ${formProblem(state)}
      <form method="post" action="/library/selection" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('back', back)}
        ${ids.map((id) => hiddenField('ids', id))} ${hiddenField('act', 'new-shelf')}
        ${field(state, { name: 'name', label: 'Name', autocomplete: 'off', maxlength: 50 })}
        <div class="actions">
          <button>${icon('folder-plus')}Create shelf</button><a class="button quiet" href="${back}">Cancel</a>
        </div>
      </form>`,
  })
}

/** Creates the shelf of the form; the same form again gives the same shelf. */
export function createNewShelf(visit: SignedInVisit, form: Form): Promise<Shelf> {
  const raw = { name: form.get('name') ?? '' }
  return callToolForVisit(visit, { name: 'create_shelf', raw, idempotencyKey: idempotencyKeyOf(form) }, Shelf)
}
