import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'

/** A link to what was read in a book; only its title if the account can no longer open it. */
export function bookLink({ itemId, title }: { itemId: string; title: string }, readable: ReadonlySet<string>): Html {
  return readable.has(itemId)
    ? html`<a href="/books/${itemId}#reads" dir="auto">${title}</a>`
    : html`<span dir="auto">${title}</span>`
}
