import { html } from 'hono/html'
import { listBookShares, type BookShares } from '../../../teams/list-book-shares.ts'
import { SharedResult, UnsharedItem } from '../../../teams/share-schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import type { Form, FormState } from '../../form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** The teams that a book of the caller is shared with, and a form to share it with another one. */
export async function bookSharing(visit: SignedInVisit, itemId: string, state: FormState): Promise<Html> {
  const { shares, otherTeams } = await listBookShares(visit.ctx, { itemId })
  return html`<section aria-labelledby="sharing">
    <h2 id="sharing">Teams</h2>
    ${
      shares.length === 0
        ? html`<p class="quiet-text">Not shared with any team.</p>`
        : html`<ul class="rows">
            ${shares.map((share) => sharedTeam(visit, itemId, share))}
          </ul>`
    }
    ${
      otherTeams.length > 0
        ? shareForm(visit, { itemId, teams: otherTeams }, state)
        : shares.length === 0
          ? html`<p><a href="/teams">Create or join a team</a> to share the book.</p>`
          : ''
    }
  </section>`
}

function sharedTeam(visit: SignedInVisit, itemId: string, share: BookShares['shares'][number]): Html {
  const { teamId, teamName, accessLevel, departments, sharedAt } = share
  const who = departments.length === 0 ? 'The whole team' : departments.join(', ')
  return html`<li>
    <div>
      <strong
        ><a href="/teams/${teamId}"><bdi>${teamName}</bdi></a></strong
      >
      <p class="facts">
        <bdi>${who}</bdi> can ${accessLevel === 'WRITE' ? 'read and change it' : 'read it'}, since
        ${formatDay(sharedAt)}.
      </p>
    </div>
    <form method="post" action="/books/${itemId}/unshare">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('team', teamId)}
      <button class="quiet small">Stop sharing<span class="hidden-text"> with ${teamName}</span></button>
    </form>
  </li>`
}

function shareForm(
  visit: SignedInVisit,
  { itemId, teams }: { itemId: string; teams: BookShares['otherTeams'] },
  { form }: FormState,
): Html {
  const level = form?.get('level') ?? 'READ'
  return html`<details ${form?.has('level') ? html`open` : ''}>
    <summary>Share with a team</summary>
    <form method="post" action="/books/${itemId}/share" class="form">
      ${hiddenField('csrf', sessionToken(visit))}
      <div class="field">
        <label for="team">Share with</label>
        <select id="team" name="team">
          ${teams.flatMap(audiencesOf).map(({ value, label }) => html`<option value="${value}" ${form?.get('team') === value ? html`selected` : ''}>${label}</option>`)}
        </select>
      </div>
      <fieldset class="field">
        <legend>Its members can</legend>
        ${levels.map(
          ([value, label]) =>
            html`<label class="tick"
              ><input type="radio" name="level" value="${value}" ${value === level ? html`checked` : ''} /><span
                >${label}</span
              ></label
            >`,
        )}
      </fieldset>
      <button>Share</button>
    </form>
  </details>`
}

/** The whole team, and each department: `TEAM` or `TEAM/DEPARTMENT` in the form. */
function audiencesOf({ id, name, departments }: BookShares['otherTeams'][number]): { value: string; label: string }[] {
  if (departments.length === 0) return [{ value: id, label: name }]
  return [
    { value: id, label: `${name}: the whole team` },
    ...departments.map(({ slug, name: department }) => ({ value: `${id}/${slug}`, label: `${name}: ${department}` })),
  ]
}

const levels = [
  ['READ', 'read it'],
  ['WRITE', 'read and change it (only owners and admins of the team can grant this)'],
] as const

/** Shares the book with the selected team or department. */
export async function submitShare(visit: SignedInVisit, itemId: string, form: Form): Promise<void> {
  const [teamId = '', department] = (form.get('team') ?? '').split('/')
  const accessLevel = form.get('level') === 'WRITE' ? 'WRITE' : 'READ'
  const raw = { teamId, itemId, accessLevel, ...(department === undefined ? {} : { departmentSlugs: [department] }) }
  await callToolForVisit(visit, { name: 'share_item', raw }, SharedResult)
}

/** Ends the share with a team. */
export async function submitUnshare(visit: SignedInVisit, itemId: string, form: Form): Promise<void> {
  await callToolForVisit(visit, { name: 'unshare_item', raw: { teamId: form.get('team') ?? '', itemId } }, UnsharedItem)
}
