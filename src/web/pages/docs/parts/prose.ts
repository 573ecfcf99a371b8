import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'

/** Renders a sentence of the description, in which backticks mark code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
