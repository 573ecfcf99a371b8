import { html } from 'hono/html'
import { RequestReset } from '../accounts/credentials-schema.ts'
import { requestReset } from '../accounts/request-reset.ts'
import { field, formProblem, hiddenField } from './fields.ts'
import { handleForm, parseForm, readVisitorForm, type FormState } from './form.ts'
import type { Html } from './layout.ts'
import { redirect, respondPage } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import type { Visit } from './visit.ts'

/** Mounts the request for a reset link by mail. */
export function mountResetRequest(routes: PageRoutes): void {
  routes.publicPage('POST', '/reset/request', (visit) => {
    const { services } = visit.site
    const { mail } = services
    if (!mail) return resetRequestPage(visit)
    return handleForm({
      read: () => readVisitorForm(visit),
      async submit(form) {
        await requestReset({ ...services, mail }, { ...parseForm(RequestReset, form), client: visit.clientAddress })
        return redirect(visit, '/reset?done=asked')
      },
      renderAgain: (state) => resetRequestPage(visit, { state }),
    })
  })
}

/** The page for whoever has no link to a new password, or a useless one. */
export function resetRequestPage(
  visit: Visit,
  { useless: isLinkInvalid = false, state = {} }: { useless?: boolean; state?: FormState } = {},
): Promise<Response> {
  const { mail } = visit.site.services
  const wasRequested = visit.url.searchParams.get('done') === 'asked' && mail !== null
  return respondPage(visit, {
    title: state.problem ? 'Error: Forgotten password' : 'Forgotten password',
    status: state.problem?.status ?? (isLinkInvalid ? 404 : 200),
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>Forgotten password</h1>
      ${isLinkInvalid ? html`<p class="problem" role="alert">This link has been used or has expired.</p>` : ''}
      ${wasRequested ? linkSentNotice() : mail ? requestForm(visit, state) : askAdministratorNotice()}
      <p><a href="/sign-in">Back to sign-in</a></p>`,
  })
}

function requestForm(visit: Visit, state: FormState): Html {
  return html`<p class="lead">We mail you a link with which you choose a new password.</p>
    ${formProblem(state)}
    <form method="post" action="/reset/request" class="form">
      ${hiddenField('csrf', visit.visitorCsrfToken())}
      ${field(state, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' })}
      <button>Mail me a link</button>
    </form>`
}

function linkSentNotice(): Html {
  return html`<p class="notice" role="status">
      If this address has an account here, a mail with a link is on its way to it.
    </p>
    <p>It may take a few minutes. Look among unwanted mail too, or <a href="/reset">ask once more</a>.</p>`
}

function askAdministratorNotice(): Html {
  return html`<p class="lead">
      The administrator of this server makes a link for you with which you choose a new password.
    </p>
    <p>For administrators: <code>lectern user reset --email ADDRESS</code> prints it.</p>`
}
