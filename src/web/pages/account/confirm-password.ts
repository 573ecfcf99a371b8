import { html } from 'hono/html'
import { confirmSession } from '../../../accounts/confirm-session.ts'
import { CurrentPasswordForm } from '../../../accounts/credentials-schema.ts'
import { hasRecentPassword } from '../../../accounts/recent-password.ts'
import { field, formProblem, hiddenField, usernameField } from '../../components/fields.ts'
import { handleForm, parseForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { browserOf, continueInSession } from '../../keep-session.ts'
import { safeNextUrl } from '../../next-url.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /account/confirm, which checks the password of a session again. */
export function mountConfirmPassword(routes: PageRoutes): void {
  routes.signedInPage('GET', '/account/confirm', (visit) => confirmPage(visit))
  routes.signedInPage('POST', '/account/confirm', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await confirmInForm(visit, form)
        return redirect(visit, safeNextUrl(visit.site.baseUrl, form.get('next')))
      },
      renderAgain: (state) => confirmPage(visit, state),
    }),
  )
}

/** The password field of a form that requires a recent password; empty while the session has one. */
export function recentPasswordField({ ctx, signedIn }: SignedInVisit, state: FormState): Html | '' {
  return hasRecentPassword(ctx) ? '' : currentPasswordField(state, signedIn.actor.account.email)
}

interface ConfirmedFormHandler<Input> {
  /** Validates the other fields, before the password is checked. */
  parse(form: Form): Input
  submit(visit: SignedInVisit, input: Input): Promise<Response>
  /** Renders the form's page again with the submitted values and the problem. */
  renderAgain(visit: SignedInVisit, state: FormState): Promise<Response>
}

/**
 * Reads and submits a form that requires a recent password. Unless the session has one, checks the password in the form
 * and replaces the session; the handler gets the visit with that session, also for a problem after it.
 */
export function handleConfirmedForm<Input>(
  visit: SignedInVisit,
  { parse, submit, renderAgain }: ConfirmedFormHandler<Input>,
): Promise<Response> {
  let current = visit
  return handleForm({
    read: () => readSessionForm(visit),
    async submit(form) {
      const input = parse(form)
      if (!hasRecentPassword(visit.ctx)) current = await confirmInForm(visit, form)
      return submit(current, input)
    },
    renderAgain: (state) => renderAgain(current, state),
  })
}

async function confirmInForm(visit: SignedInVisit, form: Form): Promise<SignedInVisit> {
  const { current } = parseForm(CurrentPasswordForm, form)
  return continueInSession(visit, await confirmSession(visit.ctx, current, browserOf(visit)))
}

function confirmPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const next = state.form?.get('next') ?? visit.url.searchParams.get('next') ?? '/keys'
  return respondPage(visit, {
    title: 'Confirm your password',
    currentPath: '/account',
    problem: state.problem,
    content: html`<h1>Confirm your password</h1>
      <p class="lead">After that, you can create API keys in this browser for 15 minutes.</p>
      ${formProblem(state)}
      <form method="post" action="/account/confirm" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('next', next)}
        ${currentPasswordField(state, visit.signedIn.actor.account.email)}
        <button>Confirm</button>
      </form>
      <p><a href="/account">Cancel</a></p>`,
  })
}

function currentPasswordField(state: FormState, email: string): Html {
  const password = { name: 'current', label: 'Current password', type: 'password' } as const
  return html`${usernameField(email)} ${field(state, { ...password, autocomplete: 'current-password' })}`
}
