import { html } from 'hono/html'
import { InvitedPerson, NewPerson } from '../accounts/credentials-schema.ts'
import { acceptInvitation, invitedAddress, signUp } from '../accounts/sign-up.ts'
import { field, formProblem, hidden, newPasswordFields, usernameField } from './fields.ts'
import { answerForm, parseForm, readVisitorForm, type Form, type FormState } from './form.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { browserOf } from './sign-in.ts'
import type { Visit } from './visit.ts'

/** Mounts /sign-up: for everybody, or for those with an invitation. */
export function mountSignUp(routes: PageRoutes): void {
  routes.open('GET', '/sign-up', (visit) => signUpPage(visit, visit.url.searchParams.get('token') ?? ''))
  routes.open('POST', '/sign-up', (visit) => {
    if (visit.site.signUp === 'closed') return signUpPage(visit, '')
    return answerForm({
      read: () => readVisitorForm(visit),
      act: (form) => join(visit, form),
      again: (state) => signUpPage(visit, state.form?.get('token') ?? '', state),
    })
  })
}

async function join(visit: Visit, form: Form): Promise<Response> {
  const { services, signUp: mode } = visit.site
  const token = form.get('token') ?? ''
  if (token === '' && mode === 'open') {
    await signUp(services, parseForm(NewPerson, form), visit.client)
    return redirect(visit, '/sign-in?done=signed-up')
  }
  const session = await acceptInvitation(services, { ...parseForm(InvitedPerson, form), token }, browserOf(visit))
  visit.setCookies.push(visit.cookies.setSession(session))
  return redirect(visit, '/account')
}

async function signUpPage(visit: Visit, token: string, state: FormState = {}): Promise<Response> {
  const { services, signUp: mode } = visit.site
  if (mode === 'closed')
    return refusal(visit, 'Nobody can sign up on this server. Ask its administrator for an account.')
  const invited = token === '' ? null : await invitedAddress(services, token)
  if (token !== '' && !invited) {
    return refusal(visit, 'This invitation has been used or has expired. Ask the administrator for a new one.')
  }
  if (mode === 'invite' && !invited) {
    return refusal(visit, 'Accounts on this server are by invitation. Ask its administrator for a link.')
  }
  const address = invited
    ? html`<p>The account is for <strong>${invited.email}</strong>.</p>
        ${usernameField(invited.email)} ${hidden('token', token)}`
    : field(state, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' })
  return respond(visit, {
    title: state.problem ? 'Error: Sign up' : 'Sign up',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>${invited ? 'Welcome to Lectern' : 'Make an account'}</h1>
      ${formProblem(state)}
      <form method="post" action="/sign-up" class="form">
        ${hidden('csrf', visit.visitorToken())} ${address}
        ${field(state, {
          name: 'name',
          label: 'Your name',
          autocomplete: 'name',
          required: false,
          maxlength: 200,
          value: invited?.name ?? '',
        })}
        ${newPasswordFields(state)}
        <button>Make the account</button>
      </form>
      ${invited ? '' : html`<p>Have an account? <a href="/sign-in">Sign in</a>.</p>`}`,
  })
}

function refusal(visit: Visit, reason: string): Promise<Response> {
  return respond(visit, {
    title: 'Sign up',
    status: 403,
    content: html`<h1>Sign up</h1>
      <p class="lead">${reason}</p>
      <p>Have an account? <a href="/sign-in">Sign in</a>.</p>`,
  })
}
