import { html } from 'hono/html'
import { completeSignUp, findSignUpEmail } from '../../../accounts/confirm-sign-up.ts'
import { AcceptInvitationInput } from '../../../accounts/credentials-schema.ts'
import { AppError } from '../../../core/errors.ts'
import { formProblem, hiddenField, nameField, newPasswordFields, usernameField } from '../../components/fields.ts'
import { handleForm, parseForm, readVisitorForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { browserOf } from '../../keep-session.ts'
import type { Visit } from '../../visit.ts'

/** Mounts /sign-up/confirm, which creates the account of an address by the link that was mailed to it. */
export function mountConfirmSignUp(routes: PageRoutes): void {
  routes.publicPage('GET', '/sign-up/confirm', (visit) => confirmPage(visit, visit.url.searchParams.get('token')))
  routes.publicPage('POST', '/sign-up/confirm', (visit) => {
    requireOpenSignUp(visit)
    return handleForm({
      read: () => readVisitorForm(visit),
      submit: (form) => handleConfirmation(visit, form),
      renderAgain: (state) => confirmPage(visit, state.form?.get('token') ?? null, state),
    })
  })
}

async function handleConfirmation(visit: Visit, form: Form): Promise<Response> {
  const person = { ...parseForm(AcceptInvitationInput, form), token: form.get('token') ?? '' }
  const session = await completeSignUp(visit.site.services, person, browserOf(visit))
  visit.setCookies.push(visit.cookies.setSession(session))
  return redirect(visit, '/')
}

async function confirmPage(visit: Visit, token: string | null, state: FormState = {}): Promise<Response> {
  requireOpenSignUp(visit)
  const email = await findSignUpEmail(visit.site.services, token ?? '')
  if (token === null || email === null) return usedLinkPage(visit)
  return respondPage(visit, {
    title: 'Create account',
    problem: state.problem,
    content: html`<h1>Create account</h1>
      ${formProblem(state)}
      <form method="post" action="/sign-up/confirm" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())} ${hiddenField('token', token)}
        <p>The account is for <strong>${email}</strong>.</p>
        ${usernameField(email)} ${nameField(state)} ${newPasswordFields(state)}
        <button>Create account</button>
      </form>`,
  })
}

/** The page for a link that was used, perhaps by the same person, or that has expired. */
function usedLinkPage(visit: Visit): Promise<Response> {
  return respondPage(visit, {
    title: 'Create account',
    status: 404,
    content: html`<h1>Create account</h1>
      <p class="problem" role="alert">This link has been used or has expired.</p>
      ${
        visit.signedIn
          ? html`<p>You are signed in. <a href="/">Go to your library</a></p>`
          : html`<p>
              If you have created your account with it, <a href="/sign-in">sign in</a>. Otherwise,
              <a href="/sign-up">request another link</a>.
            </p>`
      }`,
  })
}

function requireOpenSignUp({ site }: Visit): void {
  if (site.signUp === 'open') return
  throw new AppError('FORBIDDEN', 'Sign-up on this server requires an invitation. Ask its administrator for a link.')
}
