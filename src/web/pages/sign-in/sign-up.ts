import { html } from 'hono/html'
import { requestSignUp } from '../../../accounts/confirm-sign-up.ts'
import { AcceptInvitationInput, EmailForm, SignUpInput } from '../../../accounts/credentials-schema.ts'
import { confirmsSignUps } from '../../../accounts/sign-up-mode.ts'
import { acceptInvitation, findInvitee, registerAccount } from '../../../accounts/sign-up.ts'
import { mountConfirmSignUp } from './confirm-sign-up.ts'
import {
  field,
  formProblem,
  hiddenField,
  nameField,
  newPasswordFields,
  usernameField,
} from '../../components/fields.ts'
import { handleForm, parseForm, readVisitorForm, type Form, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { keepNext, safeNextUrl } from '../../next-url.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { browserOf, keepSession } from '../../keep-session.ts'
import type { Visit } from '../../visit.ts'

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
  mountConfirmSignUp(routes)
}

async function handleSignUp(visit: Visit, form: Form): Promise<Response> {
  const { services, signUp: mode } = visit.site
  const token = form.get('token') ?? ''
  if (token === '' && mode === 'open') return handleOpenSignUp(visit, form)
  const session = await acceptInvitation(
    services,
    { ...parseForm(AcceptInvitationInput, form), token },
    browserOf(visit),
  )
  await keepSession(visit, session)
  return redirect(visit, '/')
}

async function handleOpenSignUp(visit: Visit, form: Form): Promise<Response> {
  const { services } = visit.site
  const { clientAddress } = visit
  const { mail } = services
  if (mail) {
    await requestSignUp({ ...services, mail }, parseForm(EmailForm, form).email, clientAddress)
    return redirect(visit, keepNext('/sign-up?done=sent', form.get('next') ?? ''))
  }
  await registerAccount(services, parseForm(SignUpInput, form), { clientAddress, emailProven: false })
  return redirect(visit, keepNext('/sign-in?done=signed-up', form.get('next') ?? ''))
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
  if (mode !== 'open' && !invited) {
    return refusalPage(visit, 'Sign-up on this server requires an invitation. Ask its administrator for a link.')
  }
  const isEmailOnly = !invited && confirmsSignUps(services)
  const heading = invited ? 'Welcome to Lectern' : 'Create account'
  const next = state.form?.get('next') ?? visit.url.searchParams.get('next') ?? ''
  return respondPage(visit, {
    title: heading,
    problem: state.problem,
    content: html`<h1>${heading}</h1>
      ${
        isEmailOnly && visit.url.searchParams.get('done') === 'sent'
          ? linkSentNotice(visit, next)
          : html`${formProblem(state)}
              <form method="post" action="/sign-up" class="form">
                ${hiddenField('csrf', visit.visitorCsrfToken())} ${next === '' ? '' : hiddenField('next', next)}
                ${isEmailOnly ? addressFields(state) : accountFields(state, token, invited)}
              </form>`
      }
      ${invited ? '' : html`<p>Already have an account? <a href="${keepNext('/sign-in', next)}">Sign in</a>.</p>`}`,
  })
}

function accountFields(state: FormState, token: string, invited: { email: string; name: string } | null): Html {
  return html`${
      invited
        ? html`<p>The account is for <strong>${invited.email}</strong>.</p>
            ${usernameField(invited.email)} ${hiddenField('token', token)}`
        : emailField(state)
    }
    ${nameField(state, invited?.name)} ${newPasswordFields(state)} <button>Create account</button>`
}

function addressFields(state: FormState): Html {
  return html`<p>We will email you a link to choose a password.</p>
    ${emailField(state)}
    <button>Send link</button>`
}

function emailField(state: FormState): Html {
  return field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' })
}

function linkSentNotice({ site }: Visit, next: string): Html {
  return html`<p class="notice" role="status">We have sent an email to this address. Follow the link in it.</p>
    ${next === '' ? '' : html`<p>When you have chosen a password, <a href="${safeNextUrl(site.baseUrl, next)}">continue to the page that you opened</a>.</p>`}
    <p>
      The email may take a few minutes. Check your spam folder, or
      <a href="${keepNext('/sign-up', next)}">request another link</a>.
    </p>`
}

function refusalPage(visit: Visit, reason: string): Promise<Response> {
  return respondPage(visit, {
    title: 'Create account',
    status: 403,
    content: html`<h1>Create account</h1>
      <p class="lead">${reason}</p>
      <p>Already have an account? <a href="/sign-in">Sign in</a>.</p>`,
  })
}
