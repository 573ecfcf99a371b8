import { html } from 'hono/html'
import { AcceptInvitationInput } from '../../../accounts/credentials-schema.ts'
import { AppError } from '../../../core/errors.ts'
import { canSignUpWithLink, signUpAdvice } from '../../../teams/invite-links.ts'
import { inviteNotFoundError, findPendingInvite } from '../../../teams/find-invite.ts'
import { signUpWithInvite } from '../../../teams/sign-up-with-invite.ts'
import { formProblem, hiddenField, nameField, newPasswordFields, usernameField } from '../../components/fields.ts'
import { handleForm, parseForm, readVisitorForm, type FormState } from '../../form.ts'
import { invitePath, requireInvite } from '../teams/invites.ts'
import { browserOf, keepSession } from '../../keep-session.ts'
import { signInPath } from '../../next-url.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { Visit } from '../../visit.ts'

/** Mounts /invites/{token}/sign-up: creates an account for an address that a team invited. */
export function mountInvitedSignUp(routes: PageRoutes): void {
  routes.publicPage('GET', '/invites/:token/sign-up', (visit) => signUpPage(visit))
  routes.publicPage('POST', '/invites/:token/sign-up', (visit) => {
    requireSignUpOpen(visit)
    return handleForm({
      read: () => readVisitorForm(visit),
      async submit(form) {
        const person = { ...parseForm(AcceptInvitationInput, form), token: visit.params['token'] ?? '' }
        const { invite } = await requireInvite(visit)
        const session = await signUpWithInvite(visit.site.services, person, browserOf(visit))
        if (session === null) return redirect(visit, `${signInPath(invitePath(visit), invite.email)}&done=signed-up`)
        await keepSession(visit, session)
        return redirect(visit, invitePath(visit))
      },
      renderAgain: (state) => signUpPage(visit, state),
    })
  })
}

async function signUpPage(visit: Visit, state: FormState = {}): Promise<Response> {
  requireSignUpOpen(visit)
  const found = await findPendingInvite(visit.site.services, visit.params['token'] ?? '')
  if (!found) throw inviteNotFoundError()
  const { invite, team, kind } = found
  const { services } = visit.site
  if (!canSignUpWithLink(services, kind))
    throw new AppError('FORBIDDEN', `This link creates no account. ${signUpAdvice(services)}`)
  return respondPage(visit, {
    title: 'Create account',
    problem: state.problem,
    content: html`<h1>Create account</h1>
      <p class="lead">Create an account to join the team “${team.name}”.</p>
      ${formProblem(state)}
      <form method="post" action="${invitePath(visit)}/sign-up" class="form">
        ${hiddenField('csrf', visit.visitorCsrfToken())}
        <p>The account is for <strong>${invite.email}</strong>.</p>
        ${usernameField(invite.email)} ${nameField(state)} ${newPasswordFields(state)}
        <button>Create account</button>
      </form>
      <p>Already have an account? <a href="${signInPath(invitePath(visit), invite.email)}">Sign in</a>.</p>`,
  })
}

function requireSignUpOpen({ site }: Visit): void {
  if (site.signUp !== 'closed') return
  throw new AppError('FORBIDDEN', 'Sign-up is closed on this server. Ask its administrator for an account.')
}
