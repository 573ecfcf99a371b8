import type { Book } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import { separatorOf } from '../reading/get-item-content.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'
import { loadPages, type TextStreamServices } from '../reading/stream-content.ts'
import { createPacer } from '../runtime/turns.ts'
import { describeFigure, replaceFigureMarkers } from '../text/figure-markers.ts'

export type TextStores = Call & ContentStores & TextStreamServices

/** The text of a version, and the archive paths of its figures by id. */
interface BookText {
  book: Book
  manifest: Manifest
  figures: ReadonlyMap<string, string>
}

/**
 * Writes the text of a version as Markdown. Its pages are joined like in the reading of a whole book, so a written text
 * stays the same byte for byte. Stored figures become links to their files, others their captions.
 */
export async function* writeText(ctx: TextStores, { book, manifest, figures }: BookText): AsyncGenerator<Uint8Array> {
  const pacer = createPacer(ctx.signal)
  const separator = separatorOf(book)
  let before = ''
  for await (const { content } of loadPages(ctx, manifest, { firstPage: 1, lastPage: manifest.pageCount })) {
    if (pacer.isDue()) await pacer.yieldTurn()
    yield Buffer.from(before + (manifest.figures ? linkFigures(content, figures) : content))
    before = separator
  }
}

function linkFigures(text: string, figures: BookText['figures']): string {
  return replaceFigureMarkers(text, ({ id, caption }, written) => {
    const file = figures.get(id)
    return file === undefined ? describeFigure(caption) : `${written.slice(0, written.lastIndexOf('](') + 2)}${file})`
  })
}
