import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { Html } from './html.ts'

interface CoverOf {
  title: string
  author: string | null
  /** BCP 47, for hyphens; null if unknown. */
  language?: string | null
  /** Path of a picture of the book's own; without it the cover is drawn. */
  pictureUrl?: string | null
  /** The text is not there yet, or no longer. */
  waiting?: boolean
}

/** How many bindings `design/cover.css` has. */
const bindings = 12

/** The cover of a book: its own picture, or drawn; the same title and author have the same look everywhere. Decorative: names are beside it. */
export function cover({ title, author, language, pictureUrl = null, waiting = false }: CoverOf): Html {
  if (pictureUrl !== null) {
    return html`<span class="cover"><img src="${pictureUrl}" alt="" loading="lazy" decoding="async" /></span>`
  }
  return html`<span class="cover ${waiting ? 'waiting' : `binding-${bindingOf(title, author)}`}" aria-hidden="true">
    <span class="cover-drawn">
      <span class="cover-title ${title.length > 40 ? 'long' : ''}" dir="auto" lang="${language ?? ''}">${title}</span>
      ${author === null || author === '' ? html`<span class="cover-rule"></span>` : html`<span class="cover-author" dir="auto">${author}</span>`}
    </span>
  </span>`
}

function bindingOf(title: string, author: string | null): number {
  return (
    createHash('sha256')
      .update(`${author ?? ''}\n${title}`)
      .digest()
      .readUInt16BE() % bindings
  )
}
