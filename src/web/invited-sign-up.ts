import { html } from 'hono/html'
import { InvitedPerson } from '../accounts/credentials-schema.ts'
import { AppError } from '../core/errors.ts'
import { inviteNotFound, openInvite } from '../teams/find-invite.ts'
import { signUpInvited } from '../teams/sign-up-with-invite.ts'
import { field, formProblem, hidden, newPasswordFields, usernameField } from './fields.ts'
import { answerForm, parseForm, readVisitorForm, type FormState } from './form.ts'
import { invitePath } from './invites.ts'
import { signInPath } from './next-url.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import type { Visit } from './visit.ts'

/** Mounts /invites/{token}/sign-up: an account for the address that a team has invited. */
export function mountInvitedSignUp(routes: PageRoutes): void {
  routes.open('GET', '/invites/:token/sign-up', (visit) => signUpPage(visit))
  routes.open('POST', '/invites/:token/sign-up', (visit) => {
    refuseClosed(visit)
    return answerForm({
      read: () => readVisitorForm(visit),
      async act(form) {
        const person = { ...parseForm(InvitedPerson, form), token: visit.params.token ?? '' }
        await signUpInvited(visit.site.services, person, visit.client)
        return redirect(visit, `${signInPath(invitePath(visit))}&done=signed-up`)
      },
      again: (state) => signUpPage(visit, state),
    })
  })
}

async function signUpPage(visit: Visit, state: FormState = {}): Promise<Response> {
  refuseClosed(visit)
  const found = await openInvite(visit.site.services, visit.params.token ?? '')
  if (!found) throw inviteNotFound()
  const { invite, team } = found
  return respond(visit, {
    title: state.problem ? 'Error: Sign up' : 'Sign up',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>Make an account</h1>
      <p class="lead">With it you join the team “${team.name}”.</p>
      ${formProblem(state)}
      <form method="post" action="${invitePath(visit)}/sign-up" class="form">
        ${hidden('csrf', visit.visitorToken())}
        <p>The account is for <strong>${invite.email}</strong>.</p>
        ${usernameField(invite.email)}
        ${field(state, { name: 'name', label: 'Your name', autocomplete: 'name', required: false, maxlength: 200 })}
        ${newPasswordFields(state)}
        <button>Make the account</button>
      </form>
      <p>Have an account? <a href="${signInPath(invitePath(visit))}">Sign in</a>.</p>`,
  })
}

function refuseClosed({ site }: Visit): void {
  if (site.signUp !== 'closed') return
  throw new AppError('FORBIDDEN', 'Nobody can sign up on this server. Ask its administrator for an account.')
}
