import { raw } from 'hono/html'
import type { Html } from '../components/html.ts'

/**
 * Inserts the HTML of a rendered page into a template without escaping. Only for output of `sanitise`, `markPlainText`
 * or `highlightCode`.
 */
export function sanitisedHtml(html: string): Html {
  return raw(html)
}
