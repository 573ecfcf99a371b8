import type { Block } from './blocks.ts'
import { convertXhtml } from './convert-xhtml.ts'
import { decodeMarkup } from './decode-markup.ts'
import { readNavigation } from './book-navigation.ts'
import type { BookNavigation } from './book-navigation.ts'
import { Endnotes } from './endnotes.ts'
import { createEpubFigures, type EpubFigures } from './epub-figures.ts'
import { entriesOf, markHeadings } from './mark-headings.ts'
import { nameHeadings } from './name-headings.ts'
import { NoteLabels } from './note-labels.ts'
import { readPackage } from './package.ts'
import type { BookPackage, SpineItem } from './package.ts'
import { holdPages, PageLinks } from './page-links.ts'
import { PagePositions } from './page-positions.ts'
import { paginate, renderBlocks } from './paginate.ts'
import type { PaginatedPage } from './paginate.ts'
import type { PictureReference } from './picture-places.ts'
import { createPathResolver, createTargetResolver, type PathResolver } from './resolve-path.ts'
import { readStyleSheets, withOwnStyles, type StyleSheets } from './style-sheets.ts'
import { trimNotes } from './trim-note.ts'
import { requireUnprotected } from './require-unprotected.ts'
import type { BookReader, ExtractedPage, FormatLimits, OpenBook, TocEntry } from '../format.ts'
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
    toc: async () => reader.toc(),
    close: async () => reader.close(),
  }
}

interface EpubParts extends OpenedBook {
  limits: FormatLimits
  figures: EpubFigures | null
}

/** A page whose pictures and links are not written yet. */
interface UnwrittenPage {
  path: string
  number: number
  label: string | null
  /** Null for a page that is the picture file itself. */
  blocks: readonly Block[] | null
  pictures: readonly PictureReference[]
}

class EpubReader {
  readonly positions: PagePositions
  hasFormulas = false
  private archive: Archive | null
  private readonly parts: EpubParts
  private readonly notes = new NoteLabels()
  private readonly links: PageLinks
  private readonly endnotes: Endnotes
  private styles: Promise<StyleSheets> | null = null
  /** The length of the markup that has been read, in UTF-16 units. */
  private markupLength = 0
  /** The label of the printed page at the current position. */
  private currentLabel: string | null = null
  /** The headings so far, as the table of contents of a book that has none; null for any other book. */
  private readonly headings: TocEntry[] | null

  constructor(archive: Archive, parts: EpubParts) {
    this.archive = archive
    this.parts = parts
    this.headings = parts.navigation.hasTargets ? null : []
    this.positions = new PagePositions(parts.limits.pages)
    const resolve = createTargetResolver(parts.resolvePath)
    this.links = new PageLinks(parts.resolvePath, this.positions)
    this.endnotes = new Endnotes(archive, { resolve, labels: this.notes, links: this.links })
  }

  async *pages(): AsyncGenerator<ExtractedPage> {
    for await (const page of holdPages(this.unwrittenPages(), () => this.markupLength)) yield this.write(page)
    if (this.positions.pageCount === 0) throw new FormatError('EMPTY', 'no file of the book has text or a picture')
  }

  toc(): TocEntry[] {
    return this.headings ?? this.parts.navigation.buildToc(this.positions)
  }

  close(): void {
    this.archive = null
  }

  private async *unwrittenPages(): AsyncGenerator<UnwrittenPage> {
    for (const item of this.parts.book.spine) {
      if (this.archive === null) return
      this.positions.beginFile(item.path)
      if (item.picture) yield { ...this.numberPage(item.path, null), blocks: null }
      else yield* this.read(item, this.archive)
    }
  }

  private async *read(item: SpineItem, archive: Archive): AsyncGenerator<UnwrittenPage> {
    const { book, navigation, figures } = this.parts
    const source = this.endnotes.leaveOut(item.path, decodeMarkup(await archive.read(item.path)))
    this.markupLength += source.length
    const marks = await this.endnotes.marksIn(item.path, source)
    const converted = convertXhtml(source, {
      path: item.path,
      labels: navigation.labelsIn(item.path),
      notes: this.notes,
      links: this.links,
      marks: marks.labels,
      ownNotes: marks.own,
      styles: withOwnStyles(await this.styleSheets(archive), source),
      navigation: item.path === book.nav,
      figures: figures !== null,
    })
    const { trailingAnchors, pictureCount, pictures } = converted
    this.hasFormulas ||= converted.hasFormulas
    const blocks = nameHeadings(trimNotes(converted.blocks, marks.own.values()), navigation.titlesIn(item.path))
    if (item.path === book.nav && blocks.every(({ kind }) => kind === 'heading')) return
    this.currentLabel = navigation.labelsIn(item.path).get('') ?? this.currentLabel
    if (blocks.length === 0 && pictureCount > 0) yield this.numberPage(item.path, null)
    const titles = this.headings === null ? [] : markHeadings(blocks)
    for (const page of paginate(blocks, { trailingAnchors, elsewhere: marks })) {
      const numbered = this.numberPage(item.path, page, pictures)
      this.headings?.push(...entriesOf(page, titles, numbered.number))
      yield numbered
    }
  }

  private styleSheets(archive: Archive): Promise<StyleSheets> {
    return (this.styles ??= readStyleSheets(archive))
  }

  /** Numbers the next page. A page without text (null) has an image. */
  private numberPage(
    path: string,
    page: PaginatedPage | null,
    pictures: readonly PictureReference[] = [],
  ): UnwrittenPage {
    const number = this.positions.addPage(path, page?.ids ?? [])
    for (const note of page?.marked ?? []) this.endnotes.setPage(note, number)
    return { path, number, label: this.labelFor(page), blocks: page?.blocks ?? [], pictures }
  }

  private async write({ path, number, label, blocks, pictures }: UnwrittenPage): Promise<ExtractedPage> {
    const { figures } = this.parts
    const content =
      blocks === null
        ? ((await figures?.pageFor(path)) ?? '')
        : this.links.write(renderBlocks((await figures?.fill(path, blocks, pictures)) ?? blocks), { path, number })
    return { content, label, picture: isFiguresOnly(content), garbled: unreadableShare(content) }
  }

  /** The label of the printed page on which a page starts; before the first known label, the first one on the page. */
  private labelFor(page: PaginatedPage | null): string | null {
    const [first = null] = page?.labels ?? []
    const label = page?.startsWithLabel === true ? first : (this.currentLabel ?? first)
    this.currentLabel = page?.labels.at(-1) ?? this.currentLabel
    return label
  }
}
