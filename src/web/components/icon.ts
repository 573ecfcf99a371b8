import { raw } from 'hono/html'
import { iconPaths } from './icon-paths.ts'
import type { Html } from './html.ts'

export type IconName = keyof typeof iconPaths

/** An icon as inline SVG in the colour and size of the surrounding text; hidden from screen readers. */
export function icon(name: IconName): Html {
  return raw(
    `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${iconPaths[name]}</svg>`,
  )
}
