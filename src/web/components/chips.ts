import { html } from 'hono/html'
import { icon, type IconName } from './icon.ts'
import type { Html } from './html.ts'

export interface Chip {
  label: string
  url: string
  current: boolean
  /** The number of matches, as displayed: `12`, `999+`. */
  count?: string
  icon?: IconName
}

/** A row of links that act as filters; one or more are active. */
export function chips(label: string, list: readonly Chip[]): Html {
  return html`<nav aria-label="${label}">
    <ul class="chips">
      ${list.map(
        (chip) =>
          html`<li>
            <a class="chip" href="${chip.url}" ${chip.current ? html`aria-current="true"` : ''}
              >${chip.icon ? icon(chip.icon) : ''}<span dir="auto">${chip.label}</span
              >${chip.count === undefined ? '' : html`<span class="number">${chip.count}</span>`}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`
}
