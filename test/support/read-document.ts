import type { DocumentFormat } from '../../src/imports/formats/document/open-document.ts'
import { openDocumentNamed } from '../../src/imports/formats/document/open-document.ts'
import type { Figure } from '../../src/imports/formats/figures.ts'
import { defaultLimits, type ExtractedPage, type FormatLimits } from '../../src/imports/formats/format.ts'

/** Reads a whole document like the importer, with its figures. */
export async function readDocument(bytes: Uint8Array, named: DocumentFormat, limits: FormatLimits = defaultLimits) {
  const figures: Figure[] = []
  const keepFigure = async (figure: Figure) => void figures.push(figure)
  const book = await openDocumentNamed(named)(bytes, limits, { keepFigure })
  try {
    const pages: ExtractedPage[] = []
    for await (const page of book.pages()) pages.push(page)
    const { info, hasFormulas = false, format = named } = book
    return {
      info,
      pages,
      figures,
      hasFormulas,
      format,
      toc: await book.toc(),
      text: pages.map(({ content }) => content).join('\n\n'),
    }
  } finally {
    await book.close()
  }
}
