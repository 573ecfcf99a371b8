import { html } from 'hono/html'
import { icon, type IconName } from './icon.ts'
import type { Html } from './html.ts'

interface EmptyState {
  icon: IconName
  title: string
  /** One sentence that says what comes here. */
  text: string
  /** What to do next: links or forms with the class `button`. */
  actions?: Html
}

/** What a page shows in place of an empty list: what comes there, and a button that begins it. */
export function emptyState({ icon: name, title, text, actions }: EmptyState): Html {
  return html`<section class="empty">
    ${icon(name)}
    <h2>${title}</h2>
    <p>${text}</p>
    ${actions ? html`<div class="actions">${actions}</div>` : ''}
  </section>`
}
