import { raw } from 'hono/html'
import type { Html } from '../components/html.ts'

/**
 * The HTML of a rendered page for a template. Only for what `sanitise` has let through, or `markPlainText` or `highlightCode`
 * has escaped: nothing is escaped here.
 */
export function sanitisedHtml(html: string): Html {
  return raw(html)
}
