import { raw } from 'hono/html'
import type { Html } from '../components/layout.ts'

/** The HTML of a rendered page for a template. Only for what `sanitise` has let through: nothing is escaped. */
export function sanitisedHtml(html: string): Html {
  return raw(html)
}
