import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'

/** A button that first shows what it does, with the form that does it. */
export function confirmed(label: Html | string, content: Html): Html {
  return html`<details class="team-confirm">
    <summary class="button quiet small">${label}</summary>
    ${content}
  </details>`
}
