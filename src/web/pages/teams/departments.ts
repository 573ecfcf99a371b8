import { html } from 'hono/html'
import type { Department } from '../../../teams/department-schema.ts'
import type { Member } from '../../../teams/schema.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { confirmed } from './confirmed.ts'
import type { TeamView } from './team-view.ts'

/** The departments of a team with their members; empty for plain members without a department. */
export function departmentSection(
  view: TeamView,
  members: readonly Member[],
  departments: readonly Department[],
): Html | '' {
  if (departments.length === 0 && !view.isManager) return ''
  return html`<h2>Departments</h2>
    ${departments.length === 0 ? html`<p class="facts">A department is a part of the team that books can be shared with.</p>` : ''}
    <ul class="rows">
      ${departments.map((department) => departmentRow(view, department, members))}
    </ul>
    ${
      view.isManager
        ? view.form(
            'department',
            html`<label class="hidden-text" for="department-name">Name of the new department</label>
              <input
                id="department-name"
                name="name"
                required
                aria-invalid="false"
                maxlength="100"
                autocomplete="off"
                placeholder="New department"
                value="${view.failed === 'department' ? (view.state.form?.get('name') ?? '') : ''}"
              />
              <button class="quiet small">${icon('plus')}Create department</button>`,
            'row-form',
          )
        : ''
    }`
}

function departmentRow(view: TeamView, { id, slug, name }: Department, members: readonly Member[]): Html {
  const inside = members.filter(({ departments }) => departments.includes(slug))
  const outside = members.filter(({ departments }) => !departments.includes(slug))
  const dept = hiddenField('dept', id)
  const isRenaming = view.failed === 'rename-department' && view.state.form?.get('dept') === id
  const newName = isRenaming ? (view.state.form?.get('name') ?? name) : name
  return html`<li>
    <div>
      <strong dir="auto">${name}</strong>
      <p class="facts">${inside.length === 0 ? 'No members yet' : inside.map((member) => member.name).join(', ')}</p>
      ${
        view.isManager
          ? html`<details class="team-confirm" ${isRenaming ? html`open` : ''}>
              <summary class="button quiet small">
                ${icon('pencil')}Change<span class="hidden-text"> ${name}</span>
              </summary>
              ${outside.length > 0 ? memberForm(view, { dept, id, members: outside, isAdding: true }) : ''}
              ${inside.length > 0 ? memberForm(view, { dept, id, members: inside, isAdding: false }) : ''}
              ${view.form(
                'rename-department',
                html`${dept}<label class="hidden-text" for="rename-${id}">New name of ${name}</label>
                  <input id="rename-${id}" name="name" value="${newName}" required maxlength="100" autocomplete="off" />
                  <button class="quiet small">Rename</button>`,
                'row-form',
              )}
              ${confirmed(
                html`Delete department…<span class="hidden-text"> ${name}</span>`,
                html`<p class="facts">
                    Books that are shared only with this department are no longer shared. Its members stay in the team.
                  </p>
                  ${view.form('delete-department', html`${dept}<button class="grave">Delete department<span class="hidden-text"> ${name}</span></button>`)}`,
              )}
            </details>`
          : ''
      }
    </div>
  </li>`
}

interface MemberChoice {
  dept: Html
  id: string
  members: readonly Member[]
  isAdding: boolean
}

function memberForm(view: TeamView, { dept, id, members, isAdding }: MemberChoice): Html {
  const action = isAdding ? 'add-to-department' : 'remove-from-department'
  const label = isAdding ? 'Add to department' : 'Remove from department'
  return view.form(
    action,
    html`${dept}<label class="hidden-text" for="${action}-${id}">Member</label>
      <select id="${action}-${id}" name="email">
        ${members.map(({ name, email }) => html`<option value="${email}">${name} (${email})</option>`)}
      </select>
      <button class="quiet small">${label}</button>`,
    'row-form',
  )
}
