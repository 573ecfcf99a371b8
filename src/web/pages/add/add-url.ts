import { html } from 'hono/html'
import { ConfirmedUpload } from '../../../imports/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { handleForm, idempotencyKeyOf, readSessionForm, type FormState } from '../../form.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /add/url: adds the file at a URL. `showAgain` renders the page of the form with the problem. */
export function mountAddUrl(
  routes: PageRoutes,
  showAgain: (visit: SignedInVisit, state: FormState) => Promise<Response>,
): void {
  mountShortForm(routes, '/add/url', {
    typed: { url: 'Address of a file' },
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        async submit(form) {
          const raw = { url: (form.get('url') ?? '').trim() }
          const idempotencyKey = idempotencyKeyOf(form)
          await callToolForVisit(visit, { name: 'import_url', raw, idempotencyKey }, ConfirmedUpload)
          return redirect(visit, '/imports?added=1')
        },
        renderAgain: (state) => showAgain(visit, state),
      }),
  })
}

/** The form for a URL; empty if the server has downloads disabled. */
export function urlForm(visit: SignedInVisit, { form, problem }: FormState): Html | '' {
  const { mode } = visit.ctx.urlImports
  if (mode === 'off') return ''
  // Every problem concerns the file at this URL.
  const state = problem ? { form, problem: { ...problem, field: 'url' } } : {}
  return html`<h2 id="url-heading">From the web</h2>
    <form method="post" action="/add/url" class="form" aria-labelledby="url-heading">
      ${hiddenField('csrf', sessionToken(visit))}
      ${field(state, {
        name: 'url',
        label: 'Address of a file',
        type: 'url',
        autocomplete: 'off',
        maxlength: 2000,
        hint: `The address begins with ${mode === 'https' ? 'https://' : 'https:// or http://'}, and anybody can open it without signing in.`,
      })}
      <button class="quiet">${icon('download')}Add from this address</button>
    </form>`
}
