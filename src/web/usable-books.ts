import { html } from 'hono/html'
import { UsableBooks } from '../books/enrich-schema.ts'
import { usableChoice } from '../books/usable-books.ts'
import { call } from './call-tool-for-visit.ts'
import { formProblem, hidden } from './fields.ts'
import { answerForm, readOwnForm, type FormState } from './form.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { sessionToken, type SignedVisit } from './visit.ts'

/** Room for the ids of tens of thousands of books. */
const maxBytes = 2 * 1024 * 1024

/** Mounts /library/usable: the pick of the books that stay usable on a smaller plan. */
export function mountUsableBooks(routes: PageRoutes): void {
  routes.signedIn('GET', '/library/usable', (visit) => pickPage(visit))
  routes.signedIn('POST', '/library/usable', (visit) =>
    answerForm({
      read: () => readOwnForm(visit, maxBytes),
      async act(form) {
        await call(visit, { name: 'pick_usable_books', raw: { ids: form.getAll('ids') } }, UsableBooks)
        return redirect(visit, '/library/usable?done=picked')
      },
      again: (state) => pickPage(visit, state),
    }),
  )
}

async function pickPage(visit: SignedVisit, state: FormState = {}): Promise<Response> {
  const { limit, books } = await usableChoice(visit.ctx)
  const picked = state.form && new Set(state.form.getAll('ids'))
  const done = visit.url.searchParams.get('done') === 'picked'
  const most = limit.toLocaleString('en-GB')
  return respond(visit, {
    title: state.problem ? 'Error: Usable books' : 'Usable books',
    status: state.problem?.status ?? 200,
    content: html`<h1>Usable books</h1>
      ${done && !state.problem ? html`<p class="notice" role="status">Your pick is kept.</p>` : ''}
      ${formProblem(state)}
      ${
        books.length <= limit
          ? html`<p class="lead">
              Your plan has room for ${most} books, and you have ${books.length}: all of them are usable.
            </p>`
          : html`<p class="lead">
                Your plan keeps ${most} of your ${books.length.toLocaleString('en-GB')} books usable.
              </p>
              <p>
                Tick up to ${most}. The others stay in the library, locked. With none ticked the oldest stay usable.
              </p>
              <form method="post" action="/library/usable" class="form wide">
                ${hidden('csrf', sessionToken(visit))}
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
                <button>Keep this pick</button>
              </form>`
      }`,
  })
}
