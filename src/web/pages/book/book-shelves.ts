import { html } from 'hono/html'
import { loadShelfMemberships } from '../../../shelves/load-shelf-memberships.ts'
import { AddedToShelf, RemovedFromShelf, Shelf, ShelfList } from '../../../shelves/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import type { Form, FormState } from '../../form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** The shelves of a book, and a form to change them. */
export async function bookShelves(visit: SignedInVisit, itemId: string, { form }: FormState): Promise<Html> {
  const [{ shelves }, membershipsOf] = await Promise.all([
    callToolForVisit(visit, { name: 'list_shelves' }, ShelfList),
    loadShelfMemberships(visit.ctx, [itemId]),
  ])
  const on = new Set(membershipsOf(itemId).map(({ id }) => id))
  const named = shelves.filter(({ id }) => on.has(id))
  return html`<section aria-labelledby="shelves">
    <h2 id="shelves">Shelves</h2>
    ${
      named.length === 0
        ? html`<p class="quiet-text">Not on any shelf yet.</p>`
        : html`<ul class="chips">
            ${named.map(({ slug, name }) => html`<li><a class="chip" href="/library?shelf=${slug}" dir="auto">${name}</a></li>`)}
          </ul>`
    }
    <details ${form?.has('newShelf') ? html`open` : ''}>
      <summary>Change shelves</summary>
      <form method="post" action="/books/${itemId}/shelves" class="form">
        ${hiddenField('csrf', sessionToken(visit))}
        ${
          shelves.length === 0
            ? ''
            : html`<fieldset class="field">
                <legend>On these shelves</legend>
                ${shelves.map(
                  ({ id, name }) =>
                    html`<label class="tick"
                      ><input
                        type="checkbox"
                        name="shelf"
                        value="${id}"
                        ${(form?.has('newShelf') ? form.getAll('shelf').includes(id) : on.has(id)) ? html`checked` : ''}
                      /><span dir="auto">${name}</span></label
                    >`,
                )}
              </fieldset>`
        }
        <div class="field">
          <label for="newShelf">New shelf <span>optional</span></label>
          <input
            id="newShelf"
            name="newShelf"
            maxlength="50"
            autocomplete="off"
            value="${form?.get('newShelf') ?? ''}"
          />
        </div>
        <button>Save shelves</button>
      </form>
    </details>
  </section>`
}

/** Puts the book on the selected shelves and on a new one if it has a name, and removes it from the others. */
export async function submitShelves(visit: SignedInVisit, itemId: string, form: Form): Promise<void> {
  const wanted = new Set(form.getAll('shelf'))
  const name = form.get('newShelf')?.trim() ?? ''
  if (name !== '') wanted.add((await callToolForVisit(visit, { name: 'create_shelf', raw: { name } }, Shelf)).id)
  const on = new Set((await loadShelfMemberships(visit.ctx, [itemId]))(itemId).map(({ id }) => id))
  for (const shelf of [...wanted].filter((id) => !on.has(id)))
    await callToolForVisit(visit, { name: 'add_to_shelf', raw: { shelf, itemIds: [itemId] } }, AddedToShelf)
  for (const shelf of [...on].filter((id) => !wanted.has(id)))
    await callToolForVisit(visit, { name: 'remove_from_shelf', raw: { shelf, itemIds: [itemId] } }, RemovedFromShelf)
}
