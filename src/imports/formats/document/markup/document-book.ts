import { isFiguresOnly } from '../../../../text/figure-markers.ts'
import { unreadableShare } from '../../../../text/unreadable-share.ts'
import type { ConvertOptions } from '../../epub/conversion.ts'
import { convertElements, convertXhtml, type ConvertedFile } from '../../epub/convert-xhtml.ts'
import type { Block } from '../../epub/blocks.ts'
import { createFigureLoader, type ReadPicture } from '../../epub/make-figure.ts'
import { Endnotes, type Marks } from '../../epub/endnotes.ts'
import { entriesOf, markHeadings } from '../../epub/mark-headings.ts'
import { NoteLabels } from '../../epub/note-labels.ts'
import { holdPages, PageLinks } from '../../epub/page-links.ts'
import { PagePositions } from '../../epub/page-positions.ts'
import { paginate, renderBlocks } from '../../epub/paginate.ts'
import { describePicture, fillPlaces, type PictureReference } from '../../epub/picture-places.ts'
import { createTargetResolver } from '../../epub/resolve-path.ts'
import { trimNotes } from '../../epub/trim-note.ts'
import { noStyles, type StyleSheets } from '../../epub/style-sheets.ts'
import { collectFigures, type KeepFigure } from '../../figures.ts'
import type { BookInfo, BookReader, FormatLimits, TocEntry } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { ElementWriter } from './element-writer.ts'

/** An opened document: its metadata, and its text as XHTML elements. */
export interface OpenDocument {
  info: BookInfo
  /** Whether the document declares a picture as its cover. Default: false. */
  hasCover?: boolean
  /** Functions that write the text in parts; each part starts a page. */
  parts: readonly ((writer: ElementWriter) => void)[]
  /** The same text as XHTML, in which notes are found as in the files of an EPUB. */
  source?: string | null
  /** Reads the pictures that `img` elements refer to in `src`; without it, they are described in words. */
  readPicture?: ReadPicture
  /** Its style sheets. */
  styles?: StyleSheets
}

/** A page whose pictures and links are not written yet. */
interface UnwrittenPage {
  number: number
  blocks: readonly Block[]
  pictures: readonly PictureReference[]
}

/** The path of a document, which is a single file. */
const documentPath = ''
const noLabels: ReadonlyMap<string, string> = new Map()

const resolvePath = (path: string): string | null => (path === documentPath ? path : null)

/** Metadata without any values. */
export const emptyInfo: BookInfo = {
  title: null,
  author: null,
  language: null,
  publisher: null,
  isbn: null,
  description: null,
}

/**
 * The pages of a document. Its elements are converted to Markdown like those of an EPUB, and its headings form the
 * table of contents. Throws `EMPTY` for a document without text and pictures. Pictures are passed to `keep`.
 */
export function documentBook(
  { info, hasCover = false, parts, source = null, readPicture, styles = noStyles }: OpenDocument,
  limits: FormatLimits,
  keep?: KeepFigure,
): BookReader {
  const textFor = keep && readPicture ? createPictureText(readPicture, keep) : null
  const toc: TocEntry[] = []
  const notes = new NoteLabels()
  const positions = new PagePositions(limits.pages)
  const links = new PageLinks(resolvePath, positions)
  const endnotes = new Endnotes(null, { resolve: createTargetResolver(resolvePath), labels: notes, links })
  const file = { path: documentPath, labels: noLabels, styles }
  const options = { ...file, notes, links, navigation: false, figures: textFor !== null }
  let hasFormulas = false
  let hasPictures = false
  let remaining = parts
  const unwrittenPages = async function* (): AsyncGenerator<UnwrittenPage> {
    positions.beginFile(documentPath)
    const marked = await findNotes(source, endnotes)
    for (const write of remaining) {
      const converted = convertPart(write, marked, options)
      const { blocks, pictures } = converted
      const titles = markHeadings(blocks)
      hasFormulas ||= converted.hasFormulas
      hasPictures ||= converted.pictureCount > 0
      for (const page of paginate(blocks, converted)) {
        const number = positions.addPage(documentPath, page.ids)
        toc.push(...entriesOf(page, titles, number))
        yield { number, blocks: page.blocks, pictures }
      }
    }
  }
  return {
    info,
    pageCount: null,
    hasCover,
    get hasFormulas() {
      return hasFormulas
    },
    async *pages() {
      for await (const { number, blocks, pictures } of holdPages(unwrittenPages())) {
        const filled = textFor === null || pictures.length === 0 ? blocks : await fillPlaces(blocks, pictures, textFor)
        const content = links.write(renderBlocks(filled), { path: documentPath, number })
        yield { content, label: null, picture: isFiguresOnly(content), garbled: unreadableShare(content) }
      }
      if (positions.pageCount === 0 && !hasPictures) throw new FormatError('EMPTY', 'the document has no text')
      if (positions.pageCount === 0) yield { content: '', label: null, picture: true, garbled: 0 }
    },
    toc: async () => toc,
    close: async () => {
      remaining = []
    },
  }
}

interface MarkedSource {
  source: string
  marks: Marks
}

/** A source with the notes in it; null if there are none. */
async function findNotes(source: string | null, endnotes: Endnotes): Promise<MarkedSource | null> {
  const marks = source === null ? null : await endnotes.marksIn(documentPath, source)
  return source === null || marks === null || marks.own.size === 0 ? null : { source, marks }
}

/** Converts a part of a text: from its source, if that has notes. */
function convertPart(
  write: (writer: ElementWriter) => void,
  marked: MarkedSource | null,
  options: ConvertOptions,
): ConvertedFile {
  if (marked === null) return convertElements((handler) => write(new ElementWriter(handler)), options)
  const { source, marks } = marked
  const converted = convertXhtml(source, { ...options, marks: marks.labels, ownNotes: marks.own })
  return { ...converted, blocks: trimNotes(converted.blocks, marks.own.values()) }
}

/** Returns the text that replaces a picture: the marker of a stored figure, or a description. */
function createPictureText(readPicture: ReadPicture, keep: KeepFigure): (picture: PictureReference) => Promise<string> {
  const figures = collectFigures(keep)
  const load = createFigureLoader(readPicture)
  return async (picture) =>
    picture.href === ''
      ? describePicture(picture)
      : figures.textFor({ source: picture.href, caption: picture.caption }, () => load(picture.href))
}
