import { FormatError } from '../format.ts'
import type { ExtractedPage, BookReader, FormatLimits, OpenBook, TocEntry } from '../format.ts'
import type { KeepFigure } from '../figures.ts'
import { calibrate, samplePages } from './calibration.ts'
import type { FigureBox } from './figures/find-figures.ts'
import { createPdfFigures, type PdfFigures } from './pdf-figures.ts'
import { fillPlaces } from './figures/place-figures.ts'
import { composeAccents } from './characters/compose-accents.ts'
import { StreamTooLarge } from './page/pdf-file.ts'
import type { PageText, PdfFile } from './page/pdf-file.ts'
import { placeAnnotations, renderNotes } from './notes/place-annotations.ts'
import { readBookInfo } from './read-book-info.ts'
import { findPageLabel, layOutPage, maxRuns } from './lay-out-page.ts'
import type { LaidOutPage } from './lay-out-page.ts'
import type { OpenPdfFile } from './open-pdf-file.ts'
import { Outline } from './outline.ts'
import { cleanText } from './characters/text.ts'
import { placeReadings } from './page/readings.ts'
import { placeDropCaps } from './page/drop-caps.ts'
import { withTrueFaces } from './page/true-faces.ts'

/** The number of unreadable pages at the start of a file after which reading stops. */
const maxLeadingBrokenPages = 200
/** Average number of headings per page above which headings recognised by appearance are unreliable. */
const maxHeadingsPerPage = 8

const blankLayout: LaidOutPage = { content: '', headings: [] }

/**
 * Opens a PDF, with a password if it needs one, as one page of Markdown for each page of the file. Throws
 * `FormatError`: ENCRYPTED, WRONG_PASSWORD, BROKEN, EMPTY or TOO_LARGE.
 */
export const openPdf: OpenBook = async (bytes, limits, { keepFigure: keep, password = null } = {}) => {
  const { openPdfFile } = await import('./open-pdf-file.ts')
  return openBook(await openPdfFile(bytes, password), { bytes, password, limits, keep })
}

/** Opens a PDF with the given engine and without figures. Throws as `openPdf` does. */
export async function openPdfWith(openFile: OpenPdfFile, bytes: Uint8Array, limits: FormatLimits): Promise<BookReader> {
  return openBook(await openFile(bytes), { bytes, password: null, limits, keep: undefined })
}

interface Opening {
  bytes: Uint8Array
  password: string | null
  limits: FormatLimits
  keep: KeepFigure | undefined
}

async function openBook(file: PdfFile, { bytes, password, limits, keep }: Opening): Promise<BookReader> {
  try {
    checkPageCount(file.pageCount, limits)
    const metadata = await file.metadata().catch(() => ({ info: new Map(), xmp: new Map() }))
    const figures = keep ? createPdfFigures({ bytes, password, pageCount: file.pageCount }, keep) : null
    return new PdfBook(file, readBookInfo(metadata), figures)
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Loads the PDF engines in advance, so that a benchmark or a spare process does not spend the time on the first book.
 */
export async function warmPdf(): Promise<void> {
  const [{ loadPdfjs }, { loadPdfium }] = await Promise.all([
    import('./pdfjs/pdfjs.ts'),
    import('./pdfium/start-pdfium.ts'),
  ])
  await Promise.all([loadPdfjs(), loadPdfium()])
}

function checkPageCount(pageCount: number, limits: FormatLimits): void {
  if (pageCount < 1) throw new FormatError('EMPTY', 'The file has no page')
  if (pageCount > limits.pages) throw new FormatError('TOO_LARGE', `${pageCount} pages; the limit is ${limits.pages}`)
}

/**
 * Lays out a page. If the layout fails, keeps its words in the order of the file, so that one page does not fail the
 * book.
 */
function layOutOrPlainText(...args: Parameters<typeof layOutPage>): LaidOutPage {
  try {
    return layOutPage(...args)
  } catch {
    return { content: cleanText(args[0].runs.map(({ text }) => text).join(' ')), headings: [] }
  }
}

class PdfBook implements BookReader {
  readonly info: BookReader['info']
  readonly pageCount: number
  readonly #file: PdfFile
  readonly #headings: TocEntry[] = []
  #outline: Promise<Outline> | undefined
  #closing: Promise<void> | undefined
  readonly #words = new Set<string>()
  #readablePages = 0
  #tooLargePages = 0
  readonly #figures: PdfFigures | null

  constructor(file: PdfFile, info: BookReader['info'], figures: PdfFigures | null) {
    this.#file = file
    this.#figures = figures
    this.info = info
    this.pageCount = file.pageCount
  }

  async *pages(): AsyncGenerator<ExtractedPage> {
    const outline = await this.#readOutline()
    const labels = await this.#file.labels().catch(() => null)
    const samples = new Map<number, PageText>()
    for (const number of samplePages(this.pageCount)) {
      const page = await this.#read(number)
      if (page && page.runs.length <= maxRuns) samples.set(number, page)
    }
    const calibration = calibrate(samples)
    calibration.headings.hasOutline = outline.size > 0
    let [printed, isFirst]: [string | null, boolean] = [null, true]
    for (let number = 1; number <= this.pageCount; number += 1) {
      const page = samples.get(number) ?? (await this.#read(number))
      samples.delete(number)
      if (!page && this.#readablePages === 0 && number >= maxLeadingBrokenPages) break
      const figures = (page && (await this.#figures?.on(number, page))) ?? []
      const { content, headings }: LaidOutPage = page
        ? layOutOrPlainText({ ...page, figures, isFirst }, await outline.entriesForPage(number), calibration)
        : blankLayout
      isFirst &&= content === ''
      for (const { title, level } of headings) this.#headings.push({ title, level, page: number })
      if (!labels) printed = page ? findPageLabel(page, calibration, { number, previous: printed }) : null
      const label = labels ? cleanText(labels[number - 1] ?? '').trim() || null : printed
      const text = await fillPlaces(content, (at) => this.#textFor(number, figures[at]))
      const notes = page ? renderNotes(page) : ''
      yield {
        content: [text, notes].filter(Boolean).join('\n\n'),
        label,
        picture: page?.picture ?? false,
        garbled: page?.garbled ?? 0,
      }
    }
    if (this.#readablePages === 0)
      throw new FormatError(this.#tooLargePages > 0 ? 'TOO_LARGE' : 'BROKEN', 'No page can be read')
  }

  async toc(): Promise<TocEntry[]> {
    const outline = await this.#readOutline()
    const entries = await outline.all()
    if (entries.length > 0) return entries
    return this.#headings.length <= this.pageCount * maxHeadingsPerPage ? this.#headings : []
  }

  async close(): Promise<void> {
    this.#figures?.close()
    this.#closing ??= this.#file.close()
    await this.#closing
  }

  async #textFor(number: number, figure: FigureBox | undefined): Promise<string> {
    return (figure && (await this.#figures?.textFor(number, figure))) ?? ''
  }

  async #readOutline(): Promise<Outline> {
    this.#outline ??= this.#file.outline().then(
      (nodes) => new Outline(nodes),
      () => new Outline([]), // a broken outline does not make the book unreadable
    )
    return this.#outline
  }

  /** Returns null for an unreadable page, which becomes blank. */
  async #read(number: number): Promise<PageText | null> {
    try {
      const page = await this.#file.page(number)
      this.#readablePages += 1
      if (page.runs.length > maxRuns) return page
      const runs = placeDropCaps(withTrueFaces(composeAccents(page.runs, this.#words)))
      return { ...page, runs: placeReadings(placeAnnotations({ ...page, runs })) }
    } catch (error) {
      if (error instanceof StreamTooLarge) this.#tooLargePages += 1
      return null
    }
  }
}
