import { html } from 'hono/html'
import { icon } from './icon.ts'
import type { Html } from './html.ts'

interface Menu {
  label: Html | string
  /** Tooltip of the button. */
  title?: string
  className?: string
  /** A list of links, and of forms with one button each. */
  content: Html
}

/** A button that opens a list of links and actions below it; works without JavaScript. */
export function menu({ label, title = '', className = '', content }: Menu): Html {
  return html`<details class="menu ${className}" data-menu>
    <summary ${title === '' ? '' : html`title="${title}"`}>${label}${icon('chevron-down')}</summary>
    <div class="menu-panel">${content}</div>
  </details>`
}
