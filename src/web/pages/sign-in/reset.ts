import { html } from 'hono/html'
import { findResetAccount, resetPassword } from '../../../accounts/change-password.ts'
import { ResetPassword } from '../../../accounts/credentials-schema.ts'
import {
  formProblem,
  hiddenField,
  newPasswordFields,
  revokeAccessField,
  usernameField,
} from '../../components/fields.ts'
import { handleForm, parseForm, readVisitorForm, type FormState } from '../../form.ts'
import { mountResetRequest, resetRequestPage } from './reset-request.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { browserOf, rememberBrowser } from '../../keep-session.ts'
import type { Visit } from '../../visit.ts'

/** Mounts /reset, which sets a new password by a link from an email or from an administrator. */
export function mountReset(routes: PageRoutes): void {
  mountResetRequest(routes)
  routes.publicPage('GET', '/reset', (visit) => resetPage(visit, visit.url.searchParams.get('token')))
  routes.publicPage('POST', '/reset', (visit) =>
    handleForm({
      read: () => readVisitorForm(visit),
      async submit(form) {
        const token = form.get('token') ?? ''
        const change = { ...parseForm(ResetPassword, form), token }
        const account = await resetPassword(visit.site.services, change, browserOf(visit))
        rememberBrowser(visit, account.id)
        return redirect(visit, '/sign-in?done=reset')
      },
      renderAgain: (state) => resetPage(visit, state.form?.get('token') ?? null, state),
    }),
  )
}

async function resetPage(visit: Visit, token: string | null, state: FormState = {}): Promise<Response> {
  const account = token ? await findResetAccount(visit.site.services, token) : null
  if (token === null || account === null) return resetRequestPage(visit, { isLinkInvalid: token !== null })
  const { email, emailProvenAt } = account
  return respondPage(visit, {
    title: 'Choose a new password',
    problem: state.problem,
    content: html`<h1>Choose a new password</h1>
      <p class="lead">
        For the account <strong>${email}</strong>. You will be signed out everywhere.
        ${
          emailProvenAt
            ? ''
            : 'API keys and connected apps will stop working too, because nobody has confirmed before that this email address is theirs.'
        }
      </p>
      ${formProblem(state)}
      <form method="post" action="/reset" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())} ${hiddenField('token', token)} ${usernameField(email)}
        ${newPasswordFields(state)} ${emailProvenAt ? revokeAccessField(state, { ticked: true }) : ''}
        <button>Save new password</button>
      </form>`,
  })
}
