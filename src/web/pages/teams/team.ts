import { html } from 'hono/html'
import { findAccessibleBooks } from '../../../books/access.ts'
import { AppError } from '../../../core/errors.ts'
import { DepartmentList } from '../../../teams/department-schema.ts'
import { MemberList, TeamList } from '../../../teams/schema.ts'
import { SharedItemList } from '../../../teams/share-schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import type { FormState } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { confirmed } from './confirmed.ts'
import { departmentSection } from './departments.ts'
import { memberSection } from './members.ts'
import { bookSection } from './shared-books.ts'
import { teamNotice } from './team-actions.ts'
import type { TeamView } from './team-view.ts'

/** The page of a team: its books, members and departments. */
export async function teamPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { id: teamId = '', action } = visit.params
  const { teams } = await callToolForVisit(visit, { name: 'list_teams' }, TeamList)
  const team = teams.find(({ id }) => id === teamId)
  if (!team) throw new AppError('NOT_FOUND', 'You are not in this team, or it was deleted.')
  const raw = { teamId }
  const [{ items }, memberList, { departments }] = await Promise.all([
    callToolForVisit(visit, { name: 'list_team_items', raw }, SharedItemList),
    callToolForVisit(visit, { name: 'list_team_members', raw }, MemberList),
    callToolForVisit(visit, { name: 'list_departments', raw }, DepartmentList),
  ])
  const token = sessionToken(visit)
  const view: TeamView = {
    team,
    isManager: team.role !== 'MEMBER',
    isOwner: team.role === 'OWNER',
    isOnlyOwner: team.role === 'OWNER' && memberList.members.filter(({ role }) => role === 'OWNER').length === 1,
    ownEmail: visit.signedIn.actor.account.email,
    form: (name, content, className = '') =>
      html`<form method="post" action="/teams/${team.id}/${name}" class="${className}">
        ${hiddenField('csrf', token)}${content}
      </form>`,
    sendsMail: visit.site.services.mail !== null,
    state,
    failed: state.problem ? (action ?? null) : null,
  }
  const found = await findAccessibleBooks(
    visit.ctx,
    items.map(({ itemId }) => itemId),
  )
  const own = found.filter(({ access }) => access.kind === 'own')
  return respondPage(visit, {
    title: team.name,
    currentPath: '/teams',
    scripts: ['copy-buttons'],
    problem: state.problem,
    content: html`<p class="kind"><a href="/teams">Teams</a></p>
      <h1 class="under-kind" dir="auto">${team.name}</h1>
      ${noticeOf(visit, state)} ${formProblem(withoutField(state))}
      ${bookSection(view, { items, own: new Set(own.map(({ id }) => id)), departments })}
      ${memberSection(view, memberList, departments)} ${departmentSection(view, memberList.members, departments)}
      ${settingsSection(view)}`,
  })
}

/** Moves the problem to the top of the form, whatever its field. */
function withoutField({ problem, ...state }: FormState): FormState {
  return problem ? { ...state, problem: { ...problem, field: null } } : state
}

function noticeOf({ url, site }: SignedInVisit, { problem }: FormState): Html | '' {
  const done = url.searchParams.get('done') ?? ''
  const notice = problem ? null : teamNotice(done, { sendsMail: site.services.mail !== null })
  return notice === null ? '' : html`<p class="notice" role="status">${notice}</p>`
}

function settingsSection(view: TeamView): Html {
  const { team, isOwner, isOnlyOwner, state, failed } = view
  return html`<h2>This team</h2>
    ${
      isOwner
        ? view.form(
            'rename',
            html`${field(failed === 'rename' ? state : {}, { name: 'name', label: 'Name', autocomplete: 'off', value: team.name, maxlength: 100 })}
              <button class="quiet">Rename team</button>`,
            'form',
          )
        : ''
    }
    ${isOnlyOwner ? html`<p class="facts">You are its only owner. Before you can leave, make another member an owner.</p>` : ''}
    <div class="team-end">
      ${
        isOnlyOwner
          ? ''
          : confirmed(
              'Leave team…',
              html`<p>You lose access to the team’s books, and the team loses access to yours.</p>
                ${view.form('leave', html`<button class="grave">Leave team</button>`)}`,
            )
      }
      ${
        isOwner
          ? confirmed(
              'Delete team…',
              html`<p>Its departments, shares and invitations are deleted. Books stay with their owners.</p>
                ${view.form('delete', html`<button class="grave">Delete team</button>`)}`,
            )
          : ''
      }
    </div>`
}
