import { html } from 'hono/html'
import {
  canConfirmEmail,
  confirmEmail,
  invalidConfirmationLinkError,
  requestConfirmation,
} from '../../../accounts/confirm-email.ts'
import { hiddenField } from '../../components/fields.ts'
import { readSessionForm } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /account/confirm-email, which proves the address of the signed-in account by a mailed link. */
export function mountConfirmEmail(routes: PageRoutes): void {
  routes.signedInPage('POST', '/account/confirm-email/send', async (visit) => {
    await readSessionForm(visit)
    await requestConfirmation(visit.ctx)
    return redirect(visit, '/account?done=confirmation-sent')
  })
  routes.signedInPage('GET', '/account/confirm-email', (visit) => confirmPage(visit))
  routes.signedInPage('POST', '/account/confirm-email', async (visit) => {
    const form = await readSessionForm(visit)
    await confirmEmail(visit.ctx, form.get('token') ?? '')
    return redirect(visit, '/account?done=confirmed')
  })
}

async function confirmPage(visit: SignedInVisit): Promise<Response> {
  const token = visit.url.searchParams.get('token') ?? ''
  if (!(await canConfirmEmail(visit.ctx, token))) throw invalidConfirmationLinkError()
  return respondPage(visit, {
    title: 'Confirm your address',
    content: html`<h1>Confirm your address</h1>
      <p class="lead">The address of your account is <strong>${visit.signedIn.actor.account.email}</strong>.</p>
      <form method="post" action="/account/confirm-email" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('token', token)}
        <button>Confirm</button>
      </form>`,
  })
}

/** Explains the limits of an account with an unproven address, and how to confirm it. */
export function unprovenNotice(visit: SignedInVisit): Html | '' {
  if (visit.signedIn.actor.account.emailProvenAt) return ''
  return html`<h2 id="address-heading">Confirm your address</h2>
    <p>
      You have not yet confirmed that this email address is yours. Until you do, you cannot see invitations that are
      sent to it.
    </p>
    ${
      visit.ctx.mail
        ? html`<form method="post" action="/account/confirm-email/send" class="form" aria-labelledby="address-heading">
            ${hiddenField('csrf', sessionToken(visit))}<button>Email me a link</button>
          </form>`
        : html`<p>Ask the administrator of this server to confirm it.</p>
            <p>For administrators: <code>${visit.ctx.command} user prove --email ADDRESS</code> confirms it.</p>`
    }`
}
