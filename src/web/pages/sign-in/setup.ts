import { html } from 'hono/html'
import { claimServer, canClaimServer } from '../../../accounts/claim-server.ts'
import { SignUpInput } from '../../../accounts/credentials-schema.ts'
import { verifySession } from '../../../accounts/verify-session.ts'
import { copyField, field, formProblem, hiddenField, nameField, newPasswordFields } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import { handleForm, parseForm, readVisitorForm, type Form, type FormState } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { browserOf, keepSession } from '../../keep-session.ts'
import type { Visit } from '../../visit.ts'

/** Mounts /setup, which creates the first account of a server. */
export function mountSetup(routes: PageRoutes): void {
  routes.publicPage('GET', '/setup', (visit) => setupPage(visit, visit.url.searchParams.get('token') ?? ''))
  routes.publicPage('POST', '/setup', (visit) =>
    handleForm({
      read: () => readVisitorForm(visit),
      submit: (form) => handleClaim(visit, form),
      renderAgain: (state) => setupPage(visit, state.form?.get('token') ?? '', state),
    }),
  )
}

async function handleClaim(visit: Visit, form: Form): Promise<Response> {
  const { services, baseUrl } = visit.site
  const person = { ...parseForm(SignUpInput, form), token: form.get('token') ?? '' }
  const { key, sessionToken } = await claimServer(services, person, browserOf(visit))
  await keepSession(visit, sessionToken)
  const signedIn = await verifySession(services, sessionToken)
  return respondPage(
    { ...visit, signedIn },
    {
      title: 'Setup complete',
      scripts: ['copy-buttons'],
      content: html`<h1>Setup complete</h1>
        <p class="lead">You are signed in as the administrator of this server.</p>
        <section class="made">
          <h2>Your first API key</h2>
          <p>Programs and agents use this key to access the library. Copy it now; it will not be shown again.</p>
          ${copyField('API key', key)}
        </section>
        <p class="actions">
          <a class="button" href="/add">${icon('plus')}Add books</a>
          <a class="button quiet" href="/connect">${icon('plug')}Connect an assistant</a>
        </p>
        <p>
          Assistants connect to <code>${baseUrl}/api/v1/mcp</code>. You can <a href="/keys">manage your API keys</a> at
          any time.
        </p>`,
    },
  )
}

async function setupPage(visit: Visit, token: string, state: FormState = {}): Promise<Response> {
  if (!(await canClaimServer(visit.site.services, token))) return unusableLinkPage(visit)
  return respondPage(visit, {
    title: 'Set up Lectern',
    problem: state.problem,
    content: html`<h1>Set up Lectern</h1>
      <p class="lead">The first account becomes the administrator of this server.</p>
      ${formProblem(state)}
      <form method="post" action="/setup" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())} ${hiddenField('token', token)}
        ${field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' })}
        ${nameField(state)} ${newPasswordFields(state)}
        <button>Create account</button>
      </form>`,
  })
}

async function unusableLinkPage(visit: Visit): Promise<Response> {
  const isClaimed = await visit.site.services.accounts.hasAny()
  return respondPage(visit, {
    title: 'Set up Lectern',
    status: isClaimed ? 409 : 403,
    content: html`<h1>Set up Lectern</h1>
      ${
        isClaimed
          ? html`<p class="lead">This server is already set up.</p>
              ${
                visit.signedIn
                  ? html`<p>
                      You are signed in. <a href="/keys">Create an API key</a> if you have not copied the first one, or
                      <a href="/">go to the library</a>.
                    </p>`
                  : html`<p><a href="/sign-in">Sign in</a>, or ask the administrator for an account.</p>`
              }`
          : html`<p class="lead">This link is not valid: it has expired or is incomplete.</p>
              <p>
                Run <code>${visit.site.services.command} setup-link</code> on the machine of the server, or restart it.
                Both print a new link as long as no account exists.
              </p>`
      }`,
  })
}
