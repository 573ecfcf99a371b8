import { html } from 'hono/html'
import type { Html } from './html.ts'

/** A list of facts with their names. */
export function factsList(rows: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts-list">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}
