import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'
import type { Entry } from './find-operations.ts'

/** Search results for browsers without JavaScript. */
export function searchResults(query: string, found: readonly Entry[]): Html {
  return html`<h1>Search the reference</h1>
    <p class="lead" role="status">${countWords(found.length)} for “${query}”.</p>
    ${
      found.length === 0
        ? html`<p>
            Search for a part of a name, a path or a description, such as <a href="/docs?q=shelf">shelf</a>, or for the
            code of a refusal.
          </p>`
        : html`<ol class="docs-results">
            ${found.map(
              ({ title, path, kind, about }) =>
                html`<li>
                  <a href="${path}">${title}</a>
                  <p class="field-type">${kind}</p>
                  <p>${about}</p>
                </li>`,
            )}
          </ol>`
    }`
}

function countWords(count: number): string {
  return count === 0 ? 'Nothing found' : count === 1 ? '1 place' : `${count} places`
}
