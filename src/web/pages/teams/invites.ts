import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { AcceptedInvite, OwnInvites, Success } from '../../../teams/schema.ts'
import { findInviteByToken, type FoundInvite } from '../../../teams/find-invite.ts'
import { inviterName } from '../../../teams/notify-invite.ts'
import { canSignUpWithLink, signUpAdvice } from '../../../teams/invite-links.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField, formProblem } from '../../components/fields.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { signInPath } from '../../next-url.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDay } from '../../format/format-time.ts'
import { sessionToken, type SignedInVisit, type Visit } from '../../visit.ts'

/** Mounts /invites, the signed-in account's invitations, and /invites/{token}, which accepts or declines one. */
export function mountInvites(routes: PageRoutes): void {
  routes.signedInPage('GET', '/invites', invitesPage)
  routes.publicPage('GET', '/invites/:token', (visit) => invitePage(visit))
  routes.signedInPage('POST', '/invites/:token', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      submit: (form) => answerInvite(visit, form),
      renderAgain: (state) => invitePage(visit, state),
    }),
  )
}

/** The path of an invitation's page. */
export function invitePath({ params }: Pick<Visit, 'params'>): string {
  return `/invites/${encodeURIComponent(params['token'] ?? '')}`
}

/** Finds the invitation of a page; refuses an invalid link with NOT_FOUND. */
export async function requireInvite({ site, params }: Pick<Visit, 'site' | 'params'>): Promise<FoundInvite> {
  const found = await findInviteByToken(site.services, params['token'] ?? '')
  if (found) return found
  throw new AppError('NOT_FOUND', 'This invitation was revoked, or its link is incomplete. Ask for a new one.')
}

async function invitesPage(visit: SignedInVisit): Promise<Response> {
  const { invites, note } = await callToolForVisit(visit, { name: 'list_invites' }, OwnInvites)
  return respondPage(visit, {
    title: 'Invitations',
    content: html`<h1>Invitations</h1>
      ${
        invites.length === 0
          ? html`<p>${note ?? 'You have no pending invitations.'}</p>
              <p><a href="/teams">Your teams</a></p>`
          : html`<ul class="rows">
              ${invites.map(
                ({ teamName, role, expiresAt, url }) =>
                  html`<li>
                    <div>
                      <strong><a href="${new URL(url).pathname}">${teamName}</a></strong>
                      <p class="facts">As ${roleLabels[role]}, until ${formatDay(expiresAt)}</p>
                    </div>
                  </li>`,
              )}
            </ul>`
      }`,
  })
}

const roleLabels = { ADMIN: 'an admin', MEMBER: 'a member' } as const

const memberRights = 'Members read the books that are shared with the team, and can share books of their own.'
const rights = {
  MEMBER: memberRights,
  ADMIN: `${memberRights} Admins also invite people, and manage departments and shared books.`,
} as const

async function answerInvite(visit: SignedInVisit, form: Form): Promise<Response> {
  const raw = { token: visit.params['token'] ?? '' }
  if (form.get('answer') === 'accept') await callToolForVisit(visit, { name: 'accept_invite', raw }, AcceptedInvite)
  else await callToolForVisit(visit, { name: 'decline_invite', raw }, Success)
  return redirect(visit, invitePath(visit))
}

async function invitePage(visit: Visit, state: FormState = {}): Promise<Response> {
  const found = await requireInvite(visit)
  return respondPage(visit, {
    title: 'Invitation',
    problem: state.problem,
    content: html`<h1>Invitation to the team “${found.team.name}”</h1>
      ${formProblem(state)} ${await inviteBody(visit, found)}`,
  })
}

async function inviteBody(visit: Visit, { invite, team, kind }: FoundInvite): Promise<Html> {
  const { site, signedIn } = visit
  const { services } = site
  const account = signedIn?.actor.account
  const member = account ? await services.members.find(team.id, account.id) : null
  if (member)
    return html`<p class="notice" role="status">You are a member of this team. Its books are in your library.</p>
      <p class="actions">
        <a class="button" href="/teams/${team.id}">Open the team</a>
        <a class="button quiet" href="/library">Go to the library</a>
      </p>`
  if (signedIn && account && account.email !== invite.email) {
    return html`<p class="lead">
        This invitation is for <strong>${invite.email}</strong>, but you are signed in as
        <strong>${account.email}</strong>.
      </p>
      <p>Sign out to answer it with the other account, or ask for an invitation to your address.</p>
      <form method="post" action="/sign-out" class="form">
        ${hiddenField('csrf', sessionToken({ ...visit, signedIn }))} ${hiddenField('next', invitePath(visit))}
        <button>Sign out and continue</button>
      </form>`
  }
  if (invite.status === 'DECLINED')
    return html`<p class="notice" role="status">You have declined this invitation.</p>
      <p><a href="/teams">Your teams</a></p>`
  if (invite.status === 'ACCEPTED')
    return account
      ? html`<p class="lead">This invitation has already been used. Ask for a new one.</p>`
      : html`<p class="lead">This invitation has been accepted. Sign in to see the team.</p>
          <p class="actions"><a class="button" href="${signInPath(invitePath(visit), invite.email)}">Sign in</a></p>`
  if (invite.status === 'PENDING' && invite.expiresAt <= services.now()) {
    return html`<p class="lead">This invitation has expired. Ask for a new one.</p>`
  }
  const terms = html`<p class="lead">
      <bdi>${await inviterName(services, invite)}</bdi> invites you to join as ${roleLabels[invite.role]}.
    </p>
    <p>${rights[invite.role]} The members see your name, and owners and admins also see your email address.</p>
    <p>The invitation is for <strong>${invite.email}</strong> and expires on ${formatDay(invite.expiresAt)}.</p>`
  return signedIn
    ? inviteAnswerForm(visit, terms, sessionToken({ ...visit, signedIn }))
    : signInOptions(visit, terms, { invite, kind })
}

function inviteAnswerForm(visit: Visit, terms: Html, token: string): Html {
  return html`${terms}
    <form method="post" action="${invitePath(visit)}" class="form">
      ${hiddenField('csrf', token)}
      <div class="choices">
        <button name="answer" value="accept">Join team</button>
        <button name="answer" value="decline" class="quiet">Decline</button>
      </div>
    </form>`
}

function signInOptions(visit: Visit, terms: Html, { invite, kind }: Pick<FoundInvite, 'invite' | 'kind'>): Html {
  const path = invitePath(visit)
  const { services } = visit.site
  const canSignUp = canSignUpWithLink(services, kind)
  return html`${terms}
    <p class="actions">
      ${canSignUp ? html`<a class="button" href="${path}/sign-up">Create account and join</a>` : ''}
      <a class="${canSignUp ? 'button quiet' : 'button'}" href="${signInPath(path, invite.email)}">Sign in</a>
    </p>
    ${
      canSignUp
        ? html`<p>If you have an account, sign in to accept or decline the invitation.</p>`
        : html`<p>No account yet? ${signUpAdvice(services)}</p>`
    }`
}
