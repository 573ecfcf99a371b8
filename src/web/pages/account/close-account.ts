import { html } from 'hono/html'
import { closeOwnAccount } from '../../../accounts/close-account.ts'
import { CurrentPasswordForm } from '../../../accounts/credentials-schema.ts'
import { field, formProblem, hiddenField, usernameField } from '../../components/fields.ts'
import { handleForm, parseForm, readSessionForm, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /account/delete, which closes the signed-in account. */
export function mountCloseAccount(routes: PageRoutes): void {
  routes.signedInPage('GET', '/account/delete', (visit) => closeAccountPage(visit))
  routes.signedInPage('POST', '/account/delete', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await closeOwnAccount(visit.ctx, parseForm(CurrentPasswordForm, form))
        visit.setCookies.push(visit.cookies.clearSession())
        return redirect(visit, '/sign-in?done=closed')
      },
      renderAgain: (state) => closeAccountPage(visit, state),
    }),
  )
}

function closeAccountPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { email } = visit.signedIn.actor.account
  return respondPage(visit, {
    title: 'Delete account',
    currentPath: '/account',
    problem: state.problem,
    content: html`<h1>Delete account</h1>
      <p class="lead">This closes the account <strong>${email}</strong> at once and erases it after 7 days.</p>
      <ul>
        <li>You are signed out everywhere. API keys and connected apps stop working.</li>
        <li>
          Your books, their versions and files, shelves, manuscripts, settings and reports are erased after 7 days.
        </li>
        <li>
          If you are the only owner of a team, the administrator of the team who joined first becomes its owner after 7
          days, or else the member who joined first. A team without other members is erased.
        </li>
        <li>
          <a href="/account/export" download>Download your data</a> first. You cannot do this after you have deleted the
          account.
        </li>
        <li>Within these 7 days, the administrator of this server can reopen the account. After that, nobody can.</li>
      </ul>
      ${formProblem(state)}
      <form method="post" action="/account/delete" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${usernameField(email)}
        ${field(state, {
          name: 'current',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
        })}
        <button class="grave">Delete account</button>
      </form>
      <p><a href="/account">Cancel</a></p>`,
  })
}
