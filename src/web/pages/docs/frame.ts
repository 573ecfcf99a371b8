import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { guides } from './guides/index.ts'
import { methodBadge } from './parts/operation-section.ts'
import { groupPath, type ApiReference, type Operation } from './reference/read-reference.ts'

interface Frame {
  reference: ApiReference
  /** The path of the page. */
  path: string
  /** The search words. */
  words?: string
}

/** A page of the reference, next to the left column with all pages and a search field. */
export function docsFrame({ reference, path, words = '' }: Frame, content: Html): Html {
  return html`<div class="docs">
    <details class="docs-nav">
      <summary>${icon('list')}All pages of the reference</summary>
      <div class="docs-nav-panel">
        ${searchForm(words)}
        <nav aria-label="API reference" data-docs-pages>
          <ul>
            <li>${pageLink('/docs', 'Overview', path)}</li>
            ${guides.map(({ slug, label }) => html`<li>${pageLink(`/docs/${slug}`, label, path)}</li>`)}
          </ul>
          <p class="docs-nav-title">Operations</p>
          <ul>
            ${reference.groups.map((group) =>
              groupEntry({ path: groupPath(group), title: group.title, operations: group.operations }, path),
            )}
          </ul>
        </nav>
      </div>
    </details>
    <div class="docs-page">${content}</div>
  </div>`
}

function searchForm(words: string): Html {
  return html`<form class="docs-search" method="get" action="/docs" role="search" data-docs-search>
    <label class="hidden-text" for="docs-words">Search the reference</label>
    <input
      type="search"
      id="docs-words"
      name="q"
      value="${words}"
      placeholder="Search"
      autocomplete="off"
      maxlength="100"
    />
    <button class="quiet" title="Search">${icon('search')}<span class="hidden-text">Search</span></button>
  </form>`
}

function pageLink(path: string, label: string, current: string): Html {
  return html`<a href="${path}" ${path === current ? html`aria-current="page"` : ''}>${label}</a>`
}

function groupEntry(group: { path: string; title: string; operations: readonly Operation[] }, current: string): Html {
  return html`<li>
    <details ${group.path === current ? html`open` : ''}>
      <summary>${group.title}</summary>
      <ul>
        <li>${pageLink(group.path, 'All of them', current)}</li>
        ${group.operations.map(
          ({ id, title, route }) =>
            html`<li><a href="${group.path}#${id}">${title}${route ? methodBadge(route.method) : ''}</a></li>`,
        )}
      </ul>
    </details>
  </li>`
}
