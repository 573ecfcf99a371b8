import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'
import { maxRenderedLength, type PageRenderer } from '../../markdown/page-renderer.ts'
import { sanitisedHtml } from '../../markdown/sanitised-html.ts'
import type { SignedInVisit } from '../../visit.ts'
import { renderPageText } from '../book/render-page-text.ts'

/**
 * Renders a typed text as readers will see it. If it cannot be rendered, shows at most its first 100,000 characters as
 * typed.
 */
export async function renderPreview({ ctx }: SignedInVisit, renderer: PageRenderer, source: string): Promise<Html> {
  // A new page begins with a heading mark.
  if (/^[#\s]*$/.test(source)) return html`<p class="quiet-text" lang="en" dir="ltr">This page has no text.</p>`
  // The same text has the same preview, whoever typed it.
  const bookId = `preview ${createHash('sha256').update(source).digest('base64url')}`
  const page = { bookId, version: 0, pageNum: 0, source, math: true, html: true, mark: '', startsText: true }
  const rendered = await renderer.render(page, { accountId: ctx.actor.id, signal: ctx.signal })
  if (rendered.html !== null) return sanitisedHtml(rendered.html)
  const note =
    rendered.reason === 'busy'
      ? 'Many pages are being formatted at the moment, so this is the text as you typed it.'
      : 'This page cannot be formatted here, so this is the text as you typed it.'
  return html`<p class="notice" lang="en" dir="ltr">${note}</p>
    ${renderPageText(source.slice(0, maxRenderedLength))}`
}
