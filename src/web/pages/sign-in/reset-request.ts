import { html } from 'hono/html'
import { EmailForm } from '../../../accounts/credentials-schema.ts'
import { requestReset } from '../../../accounts/request-reset.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import { handleForm, parseForm, readVisitorForm, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { Visit } from '../../visit.ts'

/** Mounts the form that requests a password reset link by email. */
export function mountResetRequest(routes: PageRoutes): void {
  routes.publicPage('POST', '/reset/request', (visit) => {
    const { services } = visit.site
    const { mail } = services
    if (!mail) return resetRequestPage(visit)
    return handleForm({
      read: () => readVisitorForm(visit),
      async submit(form) {
        await requestReset({ ...services, mail }, { ...parseForm(EmailForm, form), client: visit.clientAddress })
        return redirect(visit, '/reset?done=asked')
      },
      renderAgain: (state) => resetRequestPage(visit, { state }),
    })
  })
}

/** The page for people without a reset link or with an invalid one. */
export function resetRequestPage(
  visit: Visit,
  { isLinkInvalid = false, state = {} }: { isLinkInvalid?: boolean; state?: FormState } = {},
): Promise<Response> {
  const { mail } = visit.site.services
  const wasRequested = visit.url.searchParams.get('done') === 'asked' && mail !== null
  return respondPage(visit, {
    title: 'Reset your password',
    problem: state.problem,
    status: isLinkInvalid && !state.problem ? 404 : undefined,
    content: html`<h1>Reset your password</h1>
      ${isLinkInvalid ? html`<p class="problem" role="alert">This link has expired or has already been used.</p>` : ''}
      ${wasRequested ? linkSentNotice() : mail ? requestForm(visit, state) : askAdministratorNotice(visit)}
      <p><a href="/sign-in">Back to sign-in</a></p>`,
  })
}

function requestForm(visit: Visit, state: FormState): Html {
  return html`<p class="lead">We will email you a link to choose a new password.</p>
    ${formProblem(state)}
    <form method="post" action="/reset/request" class="form">
      ${hiddenField('csrf', visit.visitorCsrfToken())}
      ${field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' })}
      <button>Send reset link</button>
    </form>`
}

function linkSentNotice(): Html {
  return html`<p class="notice" role="status">
      If this address has an account here, we have sent it an email with a link.
    </p>
    <p>The email may take a few minutes. Check your spam folder, or <a href="/reset">request another link</a>.</p>`
}

function askAdministratorNotice({ site }: Visit): Html {
  return html`<p class="lead">Ask the administrator of this server for a link to choose a new password.</p>
    <p>For administrators: <code>${site.services.command} user reset --email ADDRESS</code> prints the link.</p>`
}
