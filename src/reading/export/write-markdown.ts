import type { AccessibleBook } from '../../books/access.ts'
import type { Call } from '../../core/context.ts'
import { createPacer } from '../../runtime/turns.ts'
import { separatorOf } from '../get-item-content.ts'
import type { Manifest } from '../manifest.ts'
import type { ContentStores } from '../store.ts'
import { loadPages, type TextStreamServices } from '../stream-content.ts'
import { describeFigure, replaceFigureMarkers } from '../../text/figure-markers.ts'
import { frontMatterOf } from './front-matter.ts'

/**
 * Writes a version of a book as one Markdown text: front matter, then the pages joined like in `GET content`. Figures
 * are replaced by their captions.
 */
export async function* writeMarkdown(
  ctx: Call & ContentStores & TextStreamServices,
  book: AccessibleBook,
  manifest: Manifest,
): AsyncGenerator<Uint8Array> {
  const pacer = createPacer(ctx.signal)
  const separator = separatorOf(book)
  let isFirst = true
  for await (const page of loadPages(ctx, manifest, { firstPage: 1, lastPage: manifest.pageCount })) {
    const content = manifest.figures ? describeFigures(page.content) : page.content
    if (pacer.isDue()) await pacer.yieldTurn()
    if (isFirst) {
      const { frontMatter, replacedLength } = frontMatterOf(book, content)
      yield Buffer.from(frontMatter + content.slice(replacedLength))
    } else yield Buffer.from(separator + content)
    isFirst = false
  }
  if (isFirst) yield Buffer.from(frontMatterOf(book, '').frontMatter)
}

function describeFigures(text: string): string {
  return replaceFigureMarkers(text, ({ caption }) => describeFigure(caption))
}
