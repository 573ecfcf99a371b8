import { html } from 'hono/html'
import type { Department } from '../../../teams/department-schema.ts'
import type { Invite, Member, MemberList } from '../../../teams/schema.ts'
import { field, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { formatDay } from '../../format/format-time.ts'
import { confirmed } from './confirmed.ts'
import type { TeamView } from './team-view.ts'

const roleLabels = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' } as const

/** The members of a team, its pending invitations, and the invitation form. */
export function memberSection(
  view: TeamView,
  { members, invites }: MemberList,
  departments: readonly Department[],
): Html {
  const names = new Map(departments.map(({ slug, name }) => [slug, name]))
  return html`<h2>Members</h2>
    ${view.isOwner ? html`<p class="facts">Owners change roles, remove members, and rename or delete the team. Admins invite people, and manage departments and shared books.</p>` : ''}
    <ul class="rows">
      ${members.map((member) => memberRow(view, member, names))}
    </ul>
    ${
      invites.length > 0
        ? html`<h3>Invitations</h3>
            <ul class="rows">
              ${invites.map((invite) => inviteRow(view, invite))}
            </ul>`
        : ''
    }
    ${view.isManager ? inviteForm(view) : ''}`
}

function memberRow(
  view: TeamView,
  { name, email, role, departments }: Member,
  names: ReadonlyMap<string, string>,
): Html {
  const parts = [roleLabels[role], ...departments.map((slug) => names.get(slug) ?? slug)]
  return html`<li>
    <div>
      <strong dir="auto">${name}</strong>
      <p class="facts">${email} · ${parts.join(' · ')}</p>
    </div>
    ${view.isOwner ? html`<div class="row-actions">${memberForms(view, { email, role })}</div>` : ''}
  </li>`
}

function memberForms(view: TeamView, member: Pick<Member, 'email' | 'role'>): Html | '' {
  if (member.email !== view.ownEmail) return html`${roleForm(view, member)} ${removeMember(view, member.email)}`
  if (view.isOnlyOwner) return ''
  return confirmed(
    'Change your role…',
    html`<p class="facts">
        You can then no longer change roles, remove members, or rename or delete the team. Only another owner can make
        you an owner again.
      </p>
      ${roleForm(view, member)}`,
  )
}

function roleForm(view: TeamView, { email, role }: Pick<Member, 'email' | 'role'>): Html {
  return view.form(
    'role',
    html`${hiddenField('email', email)}
      <label class="hidden-text" for="role-${email}">Role of ${email}</label>
      <select id="role-${email}" name="role">
        ${Object.entries(roleLabels).map(([value, label]) => html`<option value="${value}" ${value === role ? html`selected` : ''}>${label}</option>`)}
      </select>
      <button class="quiet small">Set role<span class="hidden-text"> of ${email}</span></button>`,
    'row-form',
  )
}

function removeMember(view: TeamView, email: string): Html {
  return confirmed(
    html`Remove…<span class="hidden-text"> ${email}</span>`,
    html`<p class="facts">They lose access to the team’s books, and the team loses access to theirs.</p>
      ${view.form('remove', html`${hiddenField('email', email)}<button class="grave">Remove<span class="hidden-text"> ${email}</span></button>`)}`,
  )
}

const statusLabels = { PENDING: 'no answer yet', EXPIRED: 'expired', DECLINED: 'declined' } as const

function inviteRow(view: TeamView, { email, role, status, expiresAt, url, urlNote }: Invite): Html {
  return html`<li>
    <div>
      <strong>${email}</strong>
      <p class="facts">
        As ${roleLabels[role].toLowerCase()},
        ${statusLabels[status]}${status === 'PENDING' ? html`, until ${formatDay(expiresAt)}` : ''}
      </p>
      ${url ? html`<p class="facts invite-link">${view.sendsMail ? 'The server sends a link by mail. If it does not arrive, send this one:' : 'Send this link:'} <code data-copy>${url}</code></p>` : urlNote ? html`<p class="facts">${urlNote}</p>` : ''}
    </div>
    ${
      view.isOwner
        ? html`<div class="row-actions">
            ${status === 'PENDING' ? withdrawInvite(view, email) : removeEndedInvite(view, email)}
          </div>`
        : ''
    }
  </li>`
}

function withdrawInvite(view: TeamView, email: string): Html {
  return confirmed(
    html`Withdraw…<span class="hidden-text"> the invitation of ${email}</span>`,
    html`<p class="facts">The link stops working. You can send another invitation to this address later.</p>
      ${view.form('withdraw-invitation', html`${hiddenField('email', email)}<button class="grave">Withdraw invitation</button>`)}`,
  )
}

function removeEndedInvite(view: TeamView, email: string): Html {
  return view.form(
    'remove-invitation',
    html`${hiddenField('email', email)}<button class="quiet small">
        Remove from list<span class="hidden-text">: invitation of ${email}</span>
      </button>`,
  )
}

function inviteForm(view: TeamView): Html {
  const state = view.failed === 'invite' ? view.state : {}
  return html`<h3 id="invite-heading">Invite somebody</h3>
    ${view.form(
      'invite',
      html`${field(state, { name: 'email', label: 'Email address', type: 'email', autocomplete: 'off', maxlength: 254 })}
        <div class="field">
          <label for="invite-role">Role</label>
          <select id="invite-role" name="role">
            <option value="MEMBER">Member: reads and shares books</option>
            ${view.isOwner ? html`<option value="ADMIN">Admin: invites people and manages departments too</option>` : ''}
          </select>
        </div>
        <button>${icon('mail')}Invite</button>`,
      'form',
    )}`
}
