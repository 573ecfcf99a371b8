import { html } from 'hono/html'
import { Credentials, EmailAddress } from '../../../accounts/credentials-schema.ts'
import { signIn } from '../../../accounts/sign-in.ts'
import type { SignUpMode } from '../../../accounts/sign-up-mode.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import { handleForm, parseForm, readSessionForm, readVisitorForm, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { browserOf, keepSession } from '../../keep-session.ts'
import { keepNext, safeNextUrl } from '../../next-url.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit, type Visit } from '../../visit.ts'
import { setupNotice } from './setup-notice.ts'

/** Mounts /sign-in and /sign-out. */
export function mountSignIn(routes: PageRoutes): void {
  routes.publicPage('GET', '/sign-in', (visit) => {
    const { signedIn, site, url } = visit
    if (signedIn) return redirect(visit, safeNextUrl(site.baseUrl, url.searchParams.get('next')))
    return signInPage(visit)
  })
  routes.publicPage('POST', '/sign-in', handleSignIn)
  routes.signedInPage('GET', '/sign-out', (visit) =>
    respondPage(visit, {
      title: 'Sign out',
      content: html`<h1>Sign out</h1>
        <p class="lead">Sign out of Lectern in this browser. API keys and connected apps keep working.</p>
        <form method="post" action="/sign-out" class="form">
          ${hiddenField('csrf', sessionToken(visit))}<button>Sign out</button>
        </form>`,
    }),
  )
  routes.signedInPage('POST', '/sign-out', handleSignOut)
}

function handleSignIn(visit: Visit): Promise<Response> {
  return handleForm({
    read: () => readVisitorForm(visit),
    async submit(form) {
      const token = await signIn(visit.site.services, parseForm(Credentials, form), browserOf(visit))
      await keepSession(visit, token)
      return redirect(visit, safeNextUrl(visit.site.baseUrl, form.get('next')))
    },
    renderAgain: (state) => signInPage(visit, state),
  })
}

async function handleSignOut(visit: SignedInVisit): Promise<Response> {
  const next = (await readSessionForm(visit)).get('next')
  const { session, actor } = visit.signedIn
  await visit.ctx.webSessions.end(actor.id, session.id)
  await visit.ctx.audit.record({ type: 'sign_out', by: visit.ctx })
  visit.setCookies.push(visit.cookies.clearSession())
  return redirect(visit, next === null ? '/sign-in?done=signed-out' : safeNextUrl(visit.site.baseUrl, next))
}

const notices = new Map([
  ['connect', 'Sign in to connect the app. On the next page, you choose what it may do.'],
  ['signed-out', 'You are signed out.'],
  ['ended', 'You were signed out, so what you sent was not saved. Sign in, then send it again.'],
  ['reset', 'Password changed. You are signed out everywhere; sign in with the new password.'],
  [
    'closed',
    'Your account is closed and will be erased after 7 days. Until then, the administrator of this server can reopen it.',
  ],
  [
    'signed-up',
    'If this address had no account, we created one. Sign in with your password. An existing account stays unchanged.',
  ],
])

async function signInPage(visit: Visit, state: FormState = {}): Promise<Response> {
  const { url, site } = visit
  const done = url.searchParams.get('done') ?? ''
  const notice = notices.get(done)
  const email = EmailAddress.safeParse(url.searchParams.get('email'))
  const setup = await setupNotice(visit)
  // The other notices are for visitors who have an account.
  const isNewcomer = setup === '' && (!notice || done === 'connect' || site.signUp === 'open')
  const next = state.form?.get('next') ?? url.searchParams.get('next') ?? ''
  return respondPage(visit, {
    title: 'Sign in',
    problem: state.problem,
    content: html`<h1>Sign in</h1>
      ${notice && !state.problem ? html`<p class="notice" role="status">${notice}</p>` : ''} ${formProblem(state)}
      ${next === '' || notice || state.problem ? '' : html`<p class="lead">Sign in to continue to the page that you opened.</p>`}
      ${setup}
      <form method="post" action="/sign-in" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())} ${next === '' ? '' : hiddenField('next', next)}
        ${credentialFields(state, { email: email.data })}
        <button>Sign in</button>
      </form>
      ${signInLinks(isNewcomer ? site.signUp : null, next)}`,
  })
}

/** The fields of a sign-in form, with the email address filled in if it is known. */
export function credentialFields(state: FormState, { email }: { email?: string | undefined }): Html {
  const address = { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' } as const
  const password = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' } as const
  return html`${field(state, { ...address, value: email ?? '' })} ${field(state, password)}`
}

/**
 * Links below a sign-in form: password reset and how a visitor without an account gets one (null: not shown), who then
 * continues at `next`.
 */
export function signInLinks(signUp: SignUpMode | null, next: string): Html {
  return html`<p><a href="/reset">Forgot your password?</a></p>
    ${signUp === null ? '' : signUpAdvice(signUp, next)}`
}

function signUpAdvice(signUp: SignUpMode, next: string): Html {
  if (signUp === 'open') return html`<p>No account yet? <a href="${keepNext('/sign-up', next)}">Create account</a></p>`
  const [inviter, way] =
    signUp === 'closed'
      ? ['the administrator of this server', 'create one for you']
      : ['the person who sent you here, or the administrator of this server,', 'invite you']
  return html`<p>No account yet? Ask ${inviter} to ${way}.</p>`
}
