import { html } from 'hono/html'
import { SentReport } from '../../../support/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, formProblem, hiddenField, textField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, idempotencyKeyOf, readSessionForm, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountTextForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Maximum size of the form in bytes: the longest report that the API accepts, in UTF-8 and percent-encoded. */
const maxFormBytes = 1024 * 1024

const types = [
  ['bug', 'Something does not work'],
  ['feature', 'Something is missing'],
  ['idea', 'An idea'],
  ['other', 'Something else'],
] as const

/** Mounts /report, which sends a report to the administrators of the server. */
export function mountReport(routes: PageRoutes): void {
  routes.signedInPage('GET', '/report', (visit) => reportPage(visit))
  mountTextForm(routes, '/report', {
    maxBytes: maxFormBytes,
    answer: sendReport,
    notDone: 'The report has not been sent.',
    button: 'Send report',
    renderSignedOut: (state) => reportForm(state, ''),
  })
}

function sendReport(visit: SignedInVisit): Promise<Response> {
  return handleForm({
    read: () => readSessionForm(visit, maxFormBytes),
    async submit(form) {
      const raw = { title: form.get('title') ?? '', body: form.get('body') ?? '', type: form.get('type') ?? 'other' }
      const idempotencyKey = idempotencyKeyOf(form)
      const { id } = await callToolForVisit(visit, { name: 'send_report', raw, idempotencyKey }, SentReport)
      return redirect(visit, `/support/${id}?done=sent`)
    },
    renderAgain: (state) => reportPage(visit, state),
  })
}

function reportPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { problem } = state
  return respondPage(visit, {
    title: 'Report a problem',
    problem,
    content: html`<h1>Report a problem</h1>
      <p class="lead">Your report goes to the administrators of this server.</p>
      ${formProblem(state)} ${reportForm(state, sessionToken(visit))}
      <p><a href="/support">${visit.ctx.actor.account.admin ? 'All reports' : 'Your reports'}</a></p>`,
  })
}

function reportForm(state: FormState, csrfToken: string): Html {
  const chosen = state.form?.get('type')
  return html`<form method="post" action="/report" class="form wide">
    ${hiddenField('csrf', csrfToken)}
    <div class="field">
      <label for="type">What is it about?</label>
      <select id="type" name="type">
        ${types.map(([value, label]) => html`<option value="${value}" ${chosen === value ? html`selected` : ''}>${label}</option>`)}
      </select>
    </div>
    ${field(state, { name: 'title', label: 'Summary', autocomplete: 'on', maxlength: 200 })}
    ${textField(state, { name: 'body', label: 'What happened', hint: 'What you did, what you expected, and what you saw instead.', maxlength: 100_000 })}
    <button>Send report</button>
  </form>`
}
