import { html } from 'hono/html'
import { OwnInvites, TeamList, TeamResult, type Team } from '../../../teams/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { emptyState } from '../../components/empty-state.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { handleForm, idempotencyKeyOf, readSessionForm, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { findTeamAction, runTeamAction, teamActions } from './team-actions.ts'
import { teamPage } from './team.ts'

/** Mounts /teams, the teams of the signed-in account, and /teams/{id}, one of them. */
export function mountTeams(routes: PageRoutes): void {
  routes.signedInPage('GET', '/teams', (visit) => teamsPage(visit))
  mountShortForm(routes, '/teams', {
    typed: { name: 'Name' },
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        async submit(form) {
          const raw = { name: form.get('name') ?? '' }
          const idempotencyKey = idempotencyKeyOf(form)
          const { team } = await callToolForVisit(visit, { name: 'create_team', raw, idempotencyKey }, TeamResult)
          return redirect(visit, `/teams/${team.id}?done=created`)
        },
        renderAgain: (state) => teamsPage(visit, state),
      }),
  })
  routes.signedInPage('GET', '/teams/:id', (visit) => teamPage(visit))
  mountShortForm(routes, '/teams/:id/:action', {
    typed: ({ params: { action = '' } }) => findTeamAction(action)?.typed ?? {},
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        async submit(form) {
          const { leaves, done } = await runTeamAction(visit, form)
          const path = leaves ? '/teams' : `/teams/${encodeURIComponent(visit.params['id'] ?? '')}`
          return redirect(visit, `${path}?done=${done}`)
        },
        renderAgain: (state) => teamPage(visit, state),
      }),
  })
}

async function teamsPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const [{ teams }, { invites }] = await Promise.all([
    callToolForVisit(visit, { name: 'list_teams' }, TeamList),
    callToolForVisit(visit, { name: 'list_invites' }, OwnInvites),
  ])
  const done = visit.url.searchParams.get('done') ?? ''
  const notice = Object.hasOwn(teamActions, done) && teamActions[done]?.leaves ? teamActions[done].notice : null
  const invitesText = invites.length === 1 ? '1 invitation is waiting' : `${invites.length} invitations are waiting`
  return respondPage(visit, {
    title: 'Teams',
    currentPath: '/teams',
    problem: state.problem,
    content: html`<h1>Teams</h1>
      <p class="lead">Teams share books: a book that one member shares appears in the libraries of the others.</p>
      ${notice && !state.problem ? html`<p class="notice" role="status">${notice}</p>` : ''} ${formProblem(state)}
      ${
        invites.length > 0
          ? html`<p class="notice">${invitesText} for your answer: <a href="/invites">see your invitations</a>.</p>`
          : ''
      }
      ${
        teams.length === 0
          ? emptyState({
              icon: 'users',
              title: 'You are not in a team yet',
              text: 'Create a team below and invite people, or ask somebody to invite you by your email address.',
              actions: html`<a class="button quiet" href="/invites">${icon('mail')}Your invitations</a>`,
            })
          : html`<ul class="rows">
              ${teams.map(teamRow)}
            </ul>`
      }
      <h2 id="new-heading">New team</h2>
      <form method="post" action="/teams" class="form" aria-labelledby="new-heading">
        ${hiddenField('csrf', sessionToken(visit))}
        ${field(state, { name: 'name', label: 'Name', autocomplete: 'off', maxlength: 100 })}
        <button>${icon('plus')}Create team</button>
      </form>
      ${invites.length === 0 && teams.length > 0 ? html`<p class="facts"><a href="/invites">Your invitations</a></p>` : ''}`,
  })
}

const roleLabels = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' } as const

function teamRow({ id, name, role, memberCount }: Team): Html {
  return html`<li>
    <div>
      <strong><a href="/teams/${id}" dir="auto">${name}</a></strong>
      <p class="facts">${roleLabels[role]} · ${memberCount === 1 ? '1 member' : `${memberCount} members`}</p>
    </div>
  </li>`
}
