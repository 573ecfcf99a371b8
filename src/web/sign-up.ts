import { html } from 'hono/html'
import { AcceptInvitationInput, SignUpInput } from '../accounts/credentials-schema.ts'
import { acceptInvitation, findInvitee, signUp } from '../accounts/sign-up.ts'
import { field, formProblem, hiddenField, newPasswordFields, usernameField } from './fields.ts'
import { handleForm, parseForm, readVisitorForm, type Form, type FormState } from './form.ts'
import { redirect, respondPage } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { browserOf, keepSession } from './sign-in.ts'
import type { Visit } from './visit.ts'

/** Mounts /sign-up, for everybody or for invited people only. */
export function mountSignUp(routes: PageRoutes): void {
  routes.publicPage('GET', '/sign-up', (visit) => signUpPage(visit, visit.url.searchParams.get('token') ?? ''))
  routes.publicPage('POST', '/sign-up', (visit) => {
    if (visit.site.signUp === 'closed') return signUpPage(visit, '')
    return handleForm({
      read: () => readVisitorForm(visit),
      submit: (form) => handleSignUp(visit, form),
      renderAgain: (state) => signUpPage(visit, state.form?.get('token') ?? '', state),
    })
  })
}

async function handleSignUp(visit: Visit, form: Form): Promise<Response> {
  const { services, signUp: mode } = visit.site
  const token = form.get('token') ?? ''
  if (token === '' && mode === 'open') {
    await signUp(services, parseForm(SignUpInput, form), visit.clientAddress)
    return redirect(visit, '/sign-in?done=signed-up')
  }
  const session = await acceptInvitation(
    services,
    { ...parseForm(AcceptInvitationInput, form), token },
    browserOf(visit),
  )
  await keepSession(visit, session)
  return redirect(visit, '/account')
}

async function signUpPage(visit: Visit, token: string, state: FormState = {}): Promise<Response> {
  const { services, signUp: mode } = visit.site
  if (mode === 'closed')
    return refusalPage(visit, 'Sign-up is closed on this server. Ask its administrator for an account.')
  const invited = token === '' ? null : await findInvitee(services, token)
  if (token !== '' && !invited) {
    return refusalPage(
      visit,
      'This invitation has expired or has already been used. Ask the administrator for a new one.',
    )
  }
  if (mode === 'invite' && !invited) {
    return refusalPage(visit, 'Sign-up on this server requires an invitation. Ask its administrator for a link.')
  }
  const address = invited
    ? html`<p>The account is for <strong>${invited.email}</strong>.</p>
        ${usernameField(invited.email)} ${hiddenField('token', token)}`
    : field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' })
  return respondPage(visit, {
    title: state.problem ? 'Error: Sign up' : 'Sign up',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>${invited ? 'Welcome to Lectern' : 'Create account'}</h1>
      ${formProblem(state)}
      <form method="post" action="/sign-up" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())} ${address}
        ${field(state, {
          name: 'name',
          label: 'Your name',
          autocomplete: 'name',
          required: false,
          maxlength: 200,
          value: invited?.name ?? '',
        })}
        ${newPasswordFields(state)}
        <button>Create account</button>
      </form>
      ${invited ? '' : html`<p>Already have an account? <a href="/sign-in">Sign in</a>.</p>`}`,
  })
}

function refusalPage(visit: Visit, reason: string): Promise<Response> {
  return respondPage(visit, {
    title: 'Sign up',
    status: 403,
    content: html`<h1>Sign up</h1>
      <p class="lead">${reason}</p>
      <p>Already have an account? <a href="/sign-in">Sign in</a>.</p>`,
  })
}
