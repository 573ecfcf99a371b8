import { html } from 'hono/html'
import type { LibrarySort } from '../../../library/library-order.ts'
import { hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { menu } from '../../components/menu.ts'
import { libraryUrl, type LibraryLook, type LibraryQuery } from './library-query.ts'

const sortLabels: Record<LibrarySort, string> = {
  read: 'Recently read',
  added: 'Recently added',
  title: 'Title',
  author: 'Author',
}

/** Controls for sorting and filtering the books: title search, order, layout. */
export function libraryTools(query: LibraryQuery): Html {
  const { filter, title, sort } = query
  return html`<div class="library-tools">
    <form action="/library" class="title-filter" role="search" aria-label="Filter by title">
      ${'shelf' in filter ? hiddenField('shelf', filter.shelf) : hiddenField('show', filter.view)}
      <label class="hidden-text" for="title">Filter by title</label>
      <input id="title" type="search" name="title" value="${title}" placeholder="Filter by title" maxlength="200" />
      <button class="quiet small">Filter</button>
    </form>
    <div class="library-order">
      ${menu({
        label: html`<span><span class="quiet-text">Sort:</span> ${sortLabels[sort]}</span>`,
        content: html`<ul>
          ${(Object.keys(sortLabels) as LibrarySort[]).map(
            (one) =>
              html`<li>
                <a
                  href="${libraryUrl({ filter, title }, { sort: one })}"
                  ${one === sort ? html`aria-current="page"` : ''}
                  >${sortLabels[one]}</a
                >
              </li>`,
          )}
        </ul>`,
      })}
      <div class="looks" role="group" aria-label="Look">${lookLink(query, 'grid')}${lookLink(query, 'list')}</div>
    </div>
  </div>`
}

const looks = { grid: ['Covers', 'layout-grid'], list: ['List', 'list'] } as const

function lookLink({ filter, title, look: current, after }: LibraryQuery, look: LibraryLook): Html {
  const [label, name] = looks[look]
  const url = libraryUrl({ filter, title, ...(after === undefined ? {} : { after }) }, { view: look })
  return html`<a href="${url}" class="look" title="${label}" ${look === current ? html`aria-current="true"` : ''}
    >${icon(name)}<span class="hidden-text">${label}</span></a
  >`
}
