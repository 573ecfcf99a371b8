import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { Html } from './html.ts'

interface CoverOf {
  title: string
  author: string | null
  /** BCP 47, for hyphens; null if unknown. */
  language?: string | null
  /** URL path of the book's cover picture; without it, a cover is drawn. */
  pictureUrl?: string | null
  /** True if the text is not available yet, or no longer. */
  waiting?: boolean
}

/** Number of bindings in `design/cover.css`. */
const bindings = 12

/**
 * The cover of a book: its picture, or a drawing. The same title and author look the same everywhere. Decorative,
 * because the names are displayed next to it.
 */
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
