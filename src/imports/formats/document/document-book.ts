import { isFiguresOnly } from '../../../text/figure-markers.ts'
import { unreadableShare } from '../../../text/unreadable-share.ts'
import { convertElements } from '../epub/convert-xhtml.ts'
import type { Block } from '../epub/blocks.ts'
import { createFigureLoader, type ReadPicture } from '../epub/make-figure.ts'
import { NoteLabels } from '../epub/note-labels.ts'
import { paginate } from '../epub/paginate.ts'
import { describePicture, fillPlaces, type PictureReference } from '../epub/picture-places.ts'
import { collectFigures, type KeepFigure } from '../figures.ts'
import type { BookInfo, BookReader, FormatLimits, TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import { stripInline } from '../../../text/markdown/markdown-toc.ts'
import { ElementWriter } from './element-writer.ts'

/** An opened document: its metadata, and its text as XHTML elements. */
export interface OpenDocument {
  info: BookInfo
  /** Whether the document declares a picture as its cover. Default: false. */
  hasCover?: boolean
  /** Functions that write the text in parts; each part starts a page. */
  parts: readonly ((writer: ElementWriter) => void)[]
  /** Reads the pictures that `img` elements refer to in `src`; without it, they are described in words. */
  readPicture?: ReadPicture
}

const maxTitleLength = 500
const none: ReadonlySet<string> = new Set()
const noLabels: ReadonlyMap<string, string> = new Map()

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
  { info, hasCover = false, parts, readPicture }: OpenDocument,
  limits: FormatLimits,
  keep?: KeepFigure,
): BookReader {
  const textFor = keep && readPicture ? createPictureText(readPicture, keep) : null
  const toc: TocEntry[] = []
  const notes = new NoteLabels()
  let pageCount = 0
  let hasFormulas = false
  let remaining = parts
  return {
    info,
    pageCount: null,
    hasCover,
    get hasFormulas() {
      return hasFormulas
    },
    async *pages() {
      let pictures = 0
      for (const write of remaining) {
        const converted = convertElements((handler) => write(new ElementWriter(handler)), {
          path: '',
          ids: none,
          labels: noLabels,
          notes,
          navigation: false,
          figures: textFor !== null,
        })
        const blocks =
          textFor === null ? converted.blocks : await fillPlaces(converted.blocks, converted.pictures, textFor)
        const titles = markHeadings(blocks)
        hasFormulas ||= converted.hasFormulas
        pictures += converted.pictureCount
        for (const { content, ids } of paginate(blocks, converted)) {
          if (pageCount++ >= limits.pages) throw new FormatError('TOO_LARGE', `more than ${limits.pages} pages`)
          for (const id of ids) toc.push({ ...(titles.get(id) as Omit<TocEntry, 'page'>), page: pageCount })
          yield { content, label: null, picture: isFiguresOnly(content), garbled: unreadableShare(content) }
        }
      }
      if (pageCount === 0 && pictures === 0) throw new FormatError('EMPTY', 'the document has no text')
      if (pageCount === 0) yield { content: '', label: null, picture: true, garbled: 0 }
    },
    toc: async () => toc,
    close: async () => {
      remaining = []
    },
  }
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

/** Adds anchors to the headings, which locate them on pages; returns their titles by id. */
function markHeadings(blocks: readonly Block[]): Map<string, Omit<TocEntry, 'page'>> {
  const titles = new Map<string, Omit<TocEntry, 'page'>>()
  for (const block of blocks) {
    const marker = block.kind === 'heading' && block.linePrefix === '' ? /^(#{1,6}) /.exec(block.body) : null
    if (marker === null) continue
    const title = stripInline(block.body.slice(marker[0].length, maxTitleLength))
    if (title === '') continue
    const id = `${titles.size}`
    block.anchors = [...block.anchors, { kind: 'id', value: id, offset: 0 }]
    titles.set(id, { title, level: marker[1]?.length ?? 1 })
  }
  return titles
}
