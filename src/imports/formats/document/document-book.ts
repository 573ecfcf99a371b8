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

/** An opened document: its metadata, and its text as elements of XHTML. */
export interface OpenDocument {
  info: BookInfo
  /** Whether it names a picture as its cover; default false. */
  hasCover?: boolean
  /** Writes one part of the text after the other; a part starts a page. */
  parts: readonly ((writer: ElementWriter) => void)[]
  /** Reads the pictures that its elements `img` name in `src`; without it they are described in words. */
  readPicture?: ReadPicture
}

const maxTitleLength = 500
const none: ReadonlySet<string> = new Set()
const noLabels: ReadonlyMap<string, string> = new Map()

/** An info without any field. */
export const emptyInfo: BookInfo = {
  title: null,
  author: null,
  language: null,
  publisher: null,
  isbn: null,
  description: null,
}

/**
 * The pages of a document: its elements become Markdown as those of an EPUB do, and its headings the table of contents. Throws
 * `EMPTY` for a document without text and pictures. Pictures go to `keep`.
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

/** What replaces a picture in the text: a stored figure, or its description. */
function createPictureText(readPicture: ReadPicture, keep: KeepFigure): (picture: PictureReference) => Promise<string> {
  const figures = collectFigures(keep)
  const load = createFigureLoader(readPicture)
  return async (picture) =>
    picture.href === ''
      ? describePicture(picture)
      : figures.textFor({ source: picture.href, caption: picture.caption }, () => load(picture.href))
}

/** Anchors the headings, so that the pages tell where they are; returns their titles by id. */
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
