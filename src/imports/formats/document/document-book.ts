import { unreadableShare } from '../../../text/unreadable-share.ts'
import { convertElements } from '../epub/convert-xhtml.ts'
import type { Block } from '../epub/blocks.ts'
import { NoteLabels } from '../epub/note-labels.ts'
import { paginate } from '../epub/paginate.ts'
import type { BookInfo, BookReader, FormatLimits, TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import { stripInline } from '../../../text/markdown/markdown-toc.ts'
import { ElementWriter } from './element-writer.ts'

/** A document that was opened: what it says of itself, and its text as elements of XHTML. */
export interface OpenDocument {
  info: BookInfo
  /** Writes one part of the text after the other; a part starts a page. */
  parts: readonly ((writer: ElementWriter) => void)[]
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
 * `EMPTY` for a document without text and pictures.
 */
export function documentBook({ info, parts }: OpenDocument, limits: FormatLimits): BookReader {
  const toc: TocEntry[] = []
  const notes = new NoteLabels()
  let pageCount = 0
  let hasFormulas = false
  let remaining = parts
  return {
    info,
    pageCount: null,
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
        })
        const titles = markHeadings(converted.blocks)
        hasFormulas ||= converted.hasFormulas
        pictures += converted.pictureCount
        for (const { content, ids } of paginate(converted.blocks, converted.trailingAnchors)) {
          if (pageCount++ >= limits.pages) throw new FormatError('TOO_LARGE', `more than ${limits.pages} pages`)
          for (const id of ids) toc.push({ ...(titles.get(id) as Omit<TocEntry, 'page'>), page: pageCount })
          yield { content, label: null, picture: false, garbled: unreadableShare(content) }
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
