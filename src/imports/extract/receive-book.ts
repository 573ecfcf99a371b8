import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../formats/format.ts'
import type { ExtractionSink, FigureCounts } from './extractor.ts'
import { createFigureIntake, type FigureIntake } from './figure-intake.ts'
import type { PageCounts } from '../../text/page-counts.ts'
import type { ReaderProcess } from './reader-process.ts'
import type { ProcessMonitor } from './monitor-process.ts'
import { maxPageCharacters, maxTocEntries } from './limits.ts'
import { cleanInfo, cleanPage, cleanToc } from './clean-text.ts'
import { ExtractionError } from './extraction-error.ts'
import { ReaderMessage, type SourceType } from './messages.ts'
import { countPage, emptyPageCounts } from '../../text/page-counts.ts'

/** A completely received book. */
export interface ReceivedBook {
  info: BookInfo
  /** Whether the file declares a picture as its cover. */
  hasCover: boolean
  /** The format of the content, if the file name suggests another one. */
  format: SourceType | null
  /** Whether the text contains LaTeX formulas. */
  hasFormulas: boolean
  toc: TocEntry[]
  counts: PageCounts
  figures: FigureCounts
}

interface ReceptionState {
  opened: boolean
  info: BookInfo | null
  hasCover: boolean
  format: SourceType | null
  expectedPages: number | null
  toc: TocEntry[]
  counts: PageCounts
  figures: FigureIntake | null
  limits: FormatLimits
  sink: ExtractionSink
}

/**
 * Receives a book from a reading process, message by message; reads the next message only after the sink has handled
 * the last. Throws `ExtractionError` for failures and protocol violations of the process, and any error of the sink.
 */
export async function receiveBook(
  reader: ReaderProcess,
  monitor: ProcessMonitor,
  { sink, limits }: { sink: ExtractionSink; limits: FormatLimits },
): Promise<ReceivedBook> {
  const book: ReceptionState = {
    opened: false,
    info: null,
    hasCover: false,
    format: null,
    expectedPages: null,
    toc: [],
    counts: emptyPageCounts(),
    figures: sink.onFigure ? createFigureIntake((figure) => sink.onFigure?.(figure)) : null,
    limits,
    sink,
  }
  for (;;) {
    const message = await nextMessage(reader, monitor)
    if ('rss' in message) reader.reportedRss = message.rss
    if (message.type === 'failed') throw toExtractionError(reader, message)
    if (message.type === 'opening') handleOpening(book, { message, monitor })
    else if (message.type === 'info') await handleInfo(book, message)
    else if (book.info === null) throw outOfOrderError(message)
    else if (message.type === 'pages') {
      monitor.firstPageArrived()
      await handlePages(book, message.pages)
    } else if (message.type === 'figure' && book.figures) {
      // In a picture book, the first pictures arrive before the first page.
      monitor.firstPageArrived()
      await book.figures.take(message.data)
    } else if (message.type === 'toc') handleToc(book, message.entries)
    else if (message.type !== 'end') throw outOfOrderError(message)
    else {
      reader.isIdle = true
      const { info, hasCover, format, counts } = book
      const { hasFormulas } = message
      const figures = book.figures?.counts ?? { count: 0, bytes: 0 }
      return { info, hasCover, format, hasFormulas, toc: cleanToc(book.toc, counts.pages), counts, figures }
    }
  }
}

/**
 * A process can be reused after it has rejected a file, but not after its format reader crashed or ran out of memory.
 */
export function toExtractionError(
  reader: ReaderProcess,
  { code, message }: Extract<ReaderMessage, { type: 'failed' }>,
): ExtractionError {
  reader.isIdle = code !== 'CRASHED' && code !== 'OUT_OF_MEMORY'
  return new ExtractionError(code, message.slice(0, 4_000))
}

/** The next message of a process; throws `ExtractionError` if there is none, or if it violates the protocol. */
export async function nextMessage(reader: ReaderProcess, monitor: ProcessMonitor): Promise<ReaderMessage> {
  const killed = monitor.killReason()
  if (killed) throw killed
  let value: unknown
  try {
    value = await monitor.countTime(reader.nextMessage())
  } catch (error) {
    throw monitor.killReason() ?? new ExtractionError('CRASHED', 'the channel broke', { cause: error })
  }
  const stopped = monitor.killReason()
  if (stopped) throw stopped
  if (value === undefined) throw await unexpectedExitError(reader)
  const message = ReaderMessage.safeParse(value)
  if (message.success) return message.data
  throw new ExtractionError('CRASHED', 'a message that is not in the protocol', { cause: message.error })
}

/**
 * The error for a channel that ended without `end`. A SIGKILL that this server did not send nearly always means that
 * the system ran out of memory.
 */
async function unexpectedExitError(reader: ReaderProcess): Promise<ExtractionError> {
  const { code, signal, output } = await reader.waitForExit()
  const outOfMemory = signal === 'SIGKILL' || /heap out of memory|allocation failed/i.test(output)
  const message = `the process ended with ${signal ?? `code ${code}`}${output === '' ? '' : `: ${output}`}`
  return new ExtractionError(outOfMemory ? 'OUT_OF_MEMORY' : 'CRASHED', message)
}

function handleOpening(
  book: ReceptionState,
  { message, monitor }: { message: ReaderMessage; monitor: ProcessMonitor },
): void {
  if (book.opened) throw outOfOrderError(message)
  book.opened = true
  monitor.fileOpened()
}

async function handleInfo(book: ReceptionState, message: Extract<ReaderMessage, { type: 'info' }>): Promise<void> {
  if (book.info !== null) throw outOfOrderError(message)
  if (message.pageCount !== null) requireAtMost(message.pageCount, book.limits.pages, 'pages')
  book.info = cleanInfo(message.info)
  book.hasCover = message.hasCover
  book.format = message.format
  book.expectedPages = message.pageCount
  await book.sink.onInfo(book.info, message.pageCount)
}

async function handlePages(book: ReceptionState, received: ExtractedPage[]): Promise<void> {
  const { counts, limits, sink } = book
  const firstPage = counts.pages + 1
  const pages = received.map((page) => {
    requireAtMost(page.content.length, maxPageCharacters, 'characters on a page')
    const clean = cleanPage(page)
    if (book.figures) clean.content = book.figures.withKnownOnly(clean.content)
    countPage(counts, clean)
    return clean
  })
  requireAtMost(counts.pages, limits.pages, 'pages')
  requireAtMost(counts.characters, limits.totalBytes, 'characters')
  await sink.onPages(pages, firstPage, counts.words)
  sink.onProgress?.(counts.pages, book.expectedPages)
}

function handleToc(book: ReceptionState, entries: TocEntry[]): void {
  if (book.toc.length + entries.length > maxTocEntries)
    throw new ExtractionError('CRASHED', 'more entries in the table of contents than allowed')
  book.toc.push(...entries)
}

function requireAtMost(value: number, max: number, what: string): void {
  if (value > max) throw new ExtractionError('TOO_LARGE', `${value} ${what}, more than ${max}`)
}

/** The error for an unexpected message. */
export function outOfOrderError(message: ReaderMessage): ExtractionError {
  return new ExtractionError('CRASHED', `a message out of order: ${message.type}`)
}
