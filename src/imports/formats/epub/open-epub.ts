import { convertXhtml } from './convert-xhtml.ts'
import { decodeMarkup } from './decode-markup.ts'
import { readNavigation } from './book-navigation.ts'
import type { BookNavigation, PagePositions } from './book-navigation.ts'
import { Endnotes } from './endnotes.ts'
import { createEpubFigures, type EpubFigures } from './epub-figures.ts'
import { readListStyles, type ListStyles } from './list-styles.ts'
import { NoteLabels } from './note-labels.ts'
import { readPackage } from './package.ts'
import type { BookPackage, SpineItem } from './package.ts'
import { paginate } from './paginate.ts'
import type { PaginatedPage } from './paginate.ts'
import { createPathResolver, type PathResolver } from './resolve-path.ts'
import { trimNotes } from './trim-note.ts'
import { requireUnprotected } from './require-unprotected.ts'
import type { BookReader, ExtractedPage, FormatLimits, OpenBook } from '../format.ts'
import type { KeepFigure } from '../figures.ts'
import { FormatError } from '../format.ts'
import { isFiguresOnly } from '../../../text/figure-markers.ts'
import { unreadableShare } from '../../../text/unreadable-share.ts'
import { openZip } from '../zip/open-zip.ts'
import type { Archive } from '../zip/open-zip.ts'

/**
 * Opens an EPUB 2 or 3. Every file in the reading order starts a page; long files are split into pages of about 3,000
 * characters. Figures become markers at their positions.
 */
export const openEpub: OpenBook = async (bytes, limits, { keepFigure: keep } = {}) => {
  const archive = openZip(bytes, limits)
  await requireUnprotected(archive)
  const resolvePath = createPathResolver(archive.paths)
  const book = await readPackage(archive, resolvePath, limits)
  const navigation = await readNavigation(archive, { book, resolvePath })
  return readEpubArchive(archive, { book, navigation, resolvePath }, { limits, keep })
}

/** The properties of a book that are known before its text is read. */
export interface OpenedBook {
  book: BookPackage
  navigation: BookNavigation
  resolvePath: PathResolver
}

/** Reads XHTML files and pictures from any source like those of an EPUB. */
export function readEpubArchive(
  archive: Archive,
  { book, navigation, resolvePath }: OpenedBook,
  { limits, keep }: { limits: FormatLimits; keep: KeepFigure | undefined },
): BookReader {
  const figures = keep ? createEpubFigures(archive, { book, resolvePath, keep }) : null
  const reader = new EpubReader(archive, { book, navigation, resolvePath, limits, figures })
  return {
    info: book.info,
    pageCount: null,
    hasCover: book.cover !== null,
    get hasFormulas() {
      return reader.hasFormulas
    },
    pages: () => reader.pages(),
    toc: async () => navigation.buildToc(reader.positions),
    close: async () => reader.close(),
  }
}

interface EpubParts extends OpenedBook {
  limits: FormatLimits
  figures: EpubFigures | null
}

class EpubReader {
  readonly positions: PagePositions = { pageByFile: new Map(), pageById: new Map(), pageCount: 0 }
  hasFormulas = false
  private archive: Archive | null
  private readonly parts: EpubParts
  private readonly notes = new NoteLabels()
  private readonly endnotes: Endnotes
  private styles: Promise<ListStyles> | null = null
  /** The label of the printed page at the current position. */
  private currentLabel: string | null = null

  constructor(archive: Archive, parts: EpubParts) {
    this.archive = archive
    this.parts = parts
    this.endnotes = new Endnotes(archive, { resolvePath: parts.resolvePath, labels: this.notes })
  }

  async *pages(): AsyncGenerator<ExtractedPage> {
    for (const item of this.parts.book.spine) {
      if (this.archive === null) return
      this.positions.pageByFile.set(item.path, this.positions.pageCount + 1)
      yield* this.read(item, this.archive)
    }
    if (this.positions.pageCount === 0) throw new FormatError('EMPTY', 'no file of the book has text or a picture')
  }

  close(): void {
    this.archive = null
  }

  private async *read(item: SpineItem, archive: Archive): AsyncGenerator<ExtractedPage> {
    const { book, navigation, figures } = this.parts
    if (item.picture) return yield this.numberPage(item.path, await this.picturePage(item.path))
    const source = this.endnotes.leaveOut(item.path, decodeMarkup(await archive.read(item.path)))
    const marks = await this.endnotes.marksIn(item.path, source)
    const converted = convertXhtml(source, {
      path: item.path,
      ids: navigation.idsIn(item.path),
      labels: navigation.labelsIn(item.path),
      notes: this.notes,
      marks: marks.labels,
      ownNotes: marks.own,
      ...(source.includes('<ol') ? { listStyles: await this.listStyles(archive) } : {}),
      navigation: item.path === book.nav,
      figures: figures !== null,
    })
    const { trailingAnchors, pictureCount, pictures } = converted
    this.hasFormulas ||= converted.hasFormulas
    const trimmed = trimNotes(converted.blocks, marks.own.values())
    const blocks = figures ? await figures.fill(item.path, trimmed, pictures) : trimmed
    if (item.path === book.nav && blocks.every(({ kind }) => kind === 'heading')) return
    this.currentLabel = navigation.labelsIn(item.path).get('') ?? this.currentLabel
    if (blocks.length === 0 && pictureCount > 0) yield this.numberPage(item.path, null)
    for (const page of paginate(blocks, { trailingAnchors, elsewhere: marks })) {
      yield this.numberPage(item.path, page)
    }
  }

  private listStyles(archive: Archive): Promise<ListStyles> {
    return (this.styles ??= readListStyles(archive))
  }

  /** The page of a picture in the reading order; null if the picture is not kept. */
  private async picturePage(path: string): Promise<PaginatedPage | null> {
    const content = (await this.parts.figures?.pageFor(path)) ?? ''
    return content === '' ? null : { content, ids: [], labels: [], startsWithLabel: false, marked: [] }
  }

  /** Numbers the next page. A page without text (null) has an image. */
  private numberPage(path: string, page: PaginatedPage | null): ExtractedPage {
    const { pages } = this.parts.limits
    if (this.positions.pageCount++ >= pages) throw new FormatError('TOO_LARGE', `more than ${pages} pages`)
    for (const id of page?.ids ?? []) {
      const key = `${path}#${id}`
      if (!this.positions.pageById.has(key)) this.positions.pageById.set(key, this.positions.pageCount)
    }
    for (const note of page?.marked ?? []) this.endnotes.setPage(note, this.positions.pageCount)
    const content = page?.content ?? ''
    return { content, label: this.labelFor(page), picture: isFiguresOnly(content), garbled: unreadableShare(content) }
  }

  /** The label of the printed page on which a page starts; before the first known label, the first one on the page. */
  private labelFor(page: PaginatedPage | null): string | null {
    const [first = null] = page?.labels ?? []
    const label = page?.startsWithLabel === true ? first : (this.currentLabel ?? first)
    this.currentLabel = page?.labels.at(-1) ?? this.currentLabel
    return label
  }
}
