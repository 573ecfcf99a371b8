import { openEpub } from '../../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../../src/imports/formats/format.ts'
import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../../src/imports/formats/format.ts'
import { buildEpub } from './epub.ts'
import type { EpubParts } from './epub.ts'

export interface ReadBook {
  info: BookInfo
  pages: ExtractedPage[]
  toc: TocEntry[]
}

/** Reads a whole EPUB like the importer. */
export async function readEpub(bytes: Uint8Array, limits: FormatLimits = defaultLimits): Promise<ReadBook> {
  const book = await openEpub(bytes, limits)
  try {
    const pages: ExtractedPage[] = []
    for await (const page of book.pages()) pages.push(page)
    return { info: book.info, pages, toc: await book.toc() }
  } finally {
    await book.close()
  }
}

/** Builds a book from its parts and reads it. */
export async function readParts(parts: EpubParts, limits?: FormatLimits): Promise<ReadBook> {
  return readEpub(await buildEpub(parts), limits)
}

/** The Markdown of a book with a single file with that body. */
export async function convertBody(body: string): Promise<string> {
  const { pages } = await readParts({ chapters: { 'one.xhtml': body } })
  return pages.map(({ content }) => content).join('\n\f\n')
}
