import { html } from 'hono/html'
import { changeEmail, findNewEmail, invalidEmailLinkError, requestEmailChange } from '../../../accounts/change-email.ts'
import { EmailForm } from '../../../accounts/credentials-schema.ts'
import { factsList } from '../../components/facts-list.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { parseForm, readSessionForm, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { handleConfirmedForm, recentPasswordField } from './confirm-password.ts'

/** Mounts /account/email, which mails a link to a new address, and /account/new-email, where that link leads. */
export function mountChangeEmail(routes: PageRoutes): void {
  routes.signedInPage('GET', '/account/email', (visit) => requestPage(visit))
  mountShortForm(routes, '/account/email', {
    typed: { email: 'New email address' },
    answer: (visit) =>
      handleConfirmedForm(visit, {
        parse: (form) => parseForm(EmailForm, form),
        async submit(confirmed, input) {
          await requestEmailChange(confirmed.ctx, input)
          return redirect(confirmed, '/account?done=email-link-sent')
        },
        renderAgain: requestPage,
      }),
  })
  routes.signedInPage('GET', '/account/new-email', linkPage)
  routes.signedInPage('POST', '/account/new-email', async (visit) => {
    const form = await readSessionForm(visit)
    await changeEmail(visit.ctx, form.get('token') ?? '')
    return redirect(visit, '/account?done=email-changed')
  })
}

function requestPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { email } = visit.signedIn.actor.account
  return respondPage(visit, {
    title: 'Change email address',
    currentPath: '/account',
    problem: state.problem,
    content: html`<h1>Change email address</h1>
      <p class="lead">Your address is <strong>${email}</strong>. You sign in with it, and mails go there.</p>
      ${visit.ctx.mail ? requestForm(visit, state) : advice(visit)}
      <p><a href="/account">Cancel</a></p>`,
  })
}

function requestForm(visit: SignedInVisit, state: FormState): Html {
  return html`<p>
      We send a link to the new address. Your address changes when you follow it. Invitations to teams that were sent to
      the present address can then no longer be accepted, so accept them first.
    </p>
    ${formProblem(state)}
    <form method="post" action="/account/email" class="form">
      ${hiddenField('csrf', sessionToken(visit))}
      ${field(state, { name: 'email', label: 'New email address', type: 'email', autocomplete: 'email', maxlength: 254 })}
      ${recentPasswordField(visit, state)}
      <button>Send the link</button>
    </form>`
}

function advice({ ctx, signedIn }: SignedInVisit): Html {
  const { email } = signedIn.actor.account
  return html`<p>This server sends no mail. Ask its administrator to change your address.</p>
    <p>For administrators: <code>${ctx.command} user email --email ${email} --new-email ADDRESS</code> changes it.</p>`
}

async function linkPage(visit: SignedInVisit): Promise<Response> {
  const token = visit.url.searchParams.get('token') ?? ''
  const email = await findNewEmail(visit.ctx, token)
  if (email === null) throw invalidEmailLinkError()
  return respondPage(visit, {
    title: 'Change email address',
    currentPath: '/account',
    content: html`<h1>Change email address</h1>
      ${factsList([
        ['Present address', visit.signedIn.actor.account.email],
        ['New address', html`<strong>${email}</strong>`],
      ])}
      <form method="post" action="/account/new-email" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('token', token)}
        <button>Change address</button>
      </form>
      <p><a href="/account">Cancel</a></p>`,
  })
}
