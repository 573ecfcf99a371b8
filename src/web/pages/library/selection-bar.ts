import { html } from 'hono/html'
import type { LibraryFacets } from '../../../library/count-library.ts'
import type { LibraryFilter } from '../../../library/library-filter.ts'
import type { Team } from '../../../teams/schema.ts'
import { hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { newShelf } from './new-shelf.ts'

interface SelectionBar {
  facets: LibraryFacets
  filter: LibraryFilter
  teams: readonly Team[]
}

/** Actions for the selected books; without JavaScript always visible below the list. */
export function selectionBar({ facets, filter, teams }: SelectionBar): Html {
  const { shelves } = facets
  const current =
    'shelf' in filter ? shelves.find(({ id, slug }) => filter.shelf === slug || filter.shelf === id) : null
  const others = shelves.filter((shelf) => shelf !== current)
  return html`<div class="selection-bar" role="group" aria-label="With the selected books" data-selection-bar>
    <p class="selection-count" aria-live="polite" data-selection-count>With the selected books:</p>
    <span class="selection-script" data-selection-script hidden>
      <button type="button" class="quiet small" data-select-all>Select all on this page</button>
      <button type="button" class="quiet small" data-select-none>Clear</button>
    </span>
    ${choice({
      name: 'shelf',
      label: 'Shelf',
      options: [...others.map(({ id, name }): [string, string] => [id, name]), [newShelf, 'New shelf…']],
      act: 'shelve',
      button: 'Put on shelf',
    })}
    ${
      current
        ? html`${hiddenField('from', current.id)}<button class="quiet small" name="act" value="unshelve">
              Take off “<span dir="auto">${current.name}</span>”
            </button>`
        : ''
    }
    ${
      teams.length > 0
        ? choice({
            name: 'team',
            label: 'Team',
            options: teams.map(({ id, name }) => [id, name]),
            act: 'share',
            button: 'Share with team',
          })
        : ''
    }
    <button class="quiet small danger" formaction="/library/delete">${icon('trash')}Delete</button>
  </div>`
}

interface Choice {
  name: string
  label: string
  options: [value: string, label: string][]
  act: string
  button: string
}

function choice({ name, label, options, act, button }: Choice): Html {
  return html`<span class="selection-choice">
    <label class="hidden-text" for="selected-${name}">${label}</label>
    <select id="selected-${name}" name="${name}">
      ${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}
    </select>
    <button class="quiet small" name="act" value="${act}">${button}</button>
  </span>`
}
