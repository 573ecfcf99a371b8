import { html } from 'hono/html'
import type { Department } from '../../../teams/department-schema.ts'
import type { SharedItem } from '../../../teams/share-schema.ts'
import { emptyState } from '../../components/empty-state.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { formatDay } from '../../format/format-time.ts'
import type { TeamView } from './team-view.ts'

interface SharedBooks {
  items: readonly SharedItem[]
  /** The ids of the books that the caller owns. */
  own: ReadonlySet<string>
  /** The departments that the caller may see. */
  departments: readonly Department[]
}

/** The books that are shared with a team, with forms to change or end a share. */
export function bookSection(view: TeamView, books: SharedBooks): Html {
  if (books.items.length === 0) {
    return html`<h2>Books</h2>
      ${emptyState({
        icon: 'book',
        title: 'No books shared yet',
        text: 'Select books in your library and share them with this team.',
        actions: html`<a class="button" href="/library">${icon('library')}Choose books to share</a>`,
      })}`
  }
  return html`<h2>Books</h2>
    <ul class="rows">
      ${books.items.map((item) => bookRow(view, item, books))}
    </ul>
    <p><a class="button quiet small" href="/library">${icon('plus')}Share more from your library</a></p>`
}

function bookRow(view: TeamView, item: SharedItem, { own, departments }: SharedBooks): Html {
  const { itemId, title, accessLevel, teamWide, sharedAt } = item
  const names = departments.filter(({ slug }) => item.departments.includes(slug)).map(({ name }) => name)
  return html`<li>
    <div>
      <strong><a href="/books/${itemId}" dir="auto">${title}</a></strong>
      <p class="facts">
        ${accessLevel === 'WRITE' ? 'May be read and changed by' : 'May be read by'} ${audience(teamWide, names)}, since
        ${formatDay(sharedAt)}
      </p>
      ${view.isManager && departments.length > 0 ? audienceForm(view, item, departments) : ''}
    </div>
    <div class="row-actions">
      ${view.isManager ? accessForm(view, item) : ''}
      ${
        view.isManager || own.has(itemId)
          ? view.form(
              'unshare',
              html`${hiddenField('itemId', itemId)}<button class="quiet small">
                  Stop sharing<span class="hidden-text"> ${title}</span>
                </button>`,
            )
          : ''
      }
    </div>
  </li>`
}

function audience(isTeamWide: boolean, names: readonly string[]): Html | string {
  if (isTeamWide) return 'the whole team'
  // The owner of a book sees its share also if they are in none of the departments.
  return names.length === 0 ? 'departments that you are not in' : html`<bdi>${names.join(', ')}</bdi>`
}

function accessForm(view: TeamView, { itemId, title, accessLevel }: SharedItem): Html {
  const other = accessLevel === 'READ' ? 'WRITE' : 'READ'
  return view.form(
    'access',
    html`${hiddenField('itemId', itemId)}${hiddenField('accessLevel', other)}<button class="quiet small">
        ${other === 'WRITE' ? 'Allow changes' : 'Make read-only'}<span class="hidden-text">: ${title}</span>
      </button>`,
  )
}

/** A form to share a book with the whole team or with some departments; stays open with its ticks when refused. */
function audienceForm(view: TeamView, item: SharedItem, departments: readonly Department[]): Html {
  const { itemId, title } = item
  const sent = view.failed === 'audience' && view.state.form?.get('itemId') === itemId ? view.state.form : undefined
  const isTeamWide = sent ? sent.has('teamWide') : item.teamWide
  const ticked = sent ? sent.getAll('departments') : item.departments
  return html`<details class="team-confirm" ${sent ? html`open` : ''}>
    <summary class="button quiet small">
      ${icon('users')}Change who may read it<span class="hidden-text">: ${title}</span>
    </summary>
    ${view.form(
      'audience',
      html`${hiddenField('itemId', itemId)}
        <fieldset class="field">
          <legend>Shared with</legend>
          ${tick({ name: 'teamWide', value: 'on', label: 'The whole team', isTicked: isTeamWide })}
          ${departments.map(({ slug, name }) => tick({ name: 'departments', value: slug, label: name, isTicked: ticked.includes(slug) }))}
        </fieldset>
        <button class="quiet small">Save<span class="hidden-text"> who may read ${title}</span></button>`,
    )}
  </details>`
}

function tick({ name, value, label, isTicked }: { name: string; value: string; label: string; isTicked: boolean }) {
  return html`<label class="tick"
    ><input type="checkbox" name="${name}" value="${value}" ${isTicked ? html`checked` : ''} /><span dir="auto"
      >${label}</span
    ></label
  >`
}
