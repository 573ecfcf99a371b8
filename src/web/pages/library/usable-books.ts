import { html } from 'hono/html'
import { UsableBooks } from '../../../books/enrich-schema.ts'
import { listSelectableBooks } from '../../../books/usable-books.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import { handleForm, readSessionForm, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Maximum size of the form in bytes; enough for the ids of tens of thousands of books. */
const maxFormBytes = 2 * 1024 * 1024

/** Mounts /library/usable, which selects the books that stay usable on a smaller plan. */
export function mountUsableBooks(routes: PageRoutes): void {
  routes.signedInPage('GET', '/library/usable', (visit) => usableBooksPage(visit))
  routes.signedInPage('POST', '/library/usable', (visit) =>
    handleForm({
      read: () => readSessionForm(visit, maxFormBytes),
      async submit(form) {
        await callToolForVisit(visit, { name: 'pick_usable_books', raw: { ids: form.getAll('ids') } }, UsableBooks)
        return redirect(visit, '/library/usable?done=picked')
      },
      renderAgain: (state) => usableBooksPage(visit, state),
    }),
  )
}

async function usableBooksPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { limit, books } = await listSelectableBooks(visit.ctx)
  const picked = state.form && new Set(state.form.getAll('ids'))
  const isSaved = visit.url.searchParams.get('done') === 'picked'
  const formattedLimit = limit.toLocaleString('en-GB')
  return respondPage(visit, {
    title: 'Usable books',
    problem: state.problem,
    content: html`<h1>Usable books</h1>
      ${isSaved && !state.problem ? html`<p class="notice" role="status">Selection saved.</p>` : ''}
      ${formProblem(state)}
      ${
        books.length <= limit
          ? html`<p class="lead">
                Your plan allows ${formattedLimit} books and you have ${books.length.toLocaleString('en-GB')}. All of
                them are usable.
              </p>
              <p><a href="/library">Go to the library</a></p>`
          : html`<p class="lead">
                Your plan allows ${formattedLimit} usable books, and you have ${books.length.toLocaleString('en-GB')}.
              </p>
              <p>
                Select up to ${formattedLimit}. The others stay in the library but are locked. If you select none, the
                oldest stay usable.
              </p>
              <form method="post" action="/library/usable" class="form wide">
                ${hiddenField('csrf', sessionToken(visit))}
                <fieldset class="field">
                  <legend>Your books</legend>
                  ${books.map(
                    ({ id, title, author, usable }) =>
                      html`<label class="tick"
                        ><input
                          type="checkbox"
                          name="ids"
                          value="${id}"
                          ${(picked?.has(id) ?? usable) ? html`checked` : ''}
                        /><span>${title}${author ? html` <span class="quiet-text">${author}</span>` : ''}</span></label
                      >`,
                  )}
                </fieldset>
                <button>Save</button>
              </form>`
      }`,
  })
}
