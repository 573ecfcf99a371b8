import { html } from 'hono/html'
import { icon, type IconName } from './icon.ts'
import type { Html } from './html.ts'

interface EmptyState {
  icon: IconName
  title: string
  /** One sentence about what will appear here. */
  text: string
  /** The next steps: links or forms with the class `button`. */
  actions?: Html
}

/** Content in place of an empty list: what will appear there, and a button for the first step. */
export function emptyState({ icon: name, title, text, actions }: EmptyState): Html {
  return html`<section class="empty">
    ${icon(name)}
    <h2>${title}</h2>
    <p>${text}</p>
    ${actions ? html`<div class="actions">${actions}</div>` : ''}
  </section>`
}
