import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../formats/format.ts'
import type { ExtractionSink } from './extractor.ts'
import type { PageCounts } from '../../text/page-counts.ts'
import type { ReaderProcess } from './reader-process.ts'
import type { Watch } from './monitor-process.ts'
import { maxPageCharacters, maxTocEntries } from './limits.ts'
import { cleanInfo, cleanPage, cleanToc } from './clean-text.ts'
import { ExtractionError } from './extraction-error.ts'
import { ReaderMessage } from './messages.ts'
import { countPage, noPages } from '../../text/page-counts.ts'

/** A book that came through whole. */
export interface ReceivedBook {
  info: BookInfo
  toc: TocEntry[]
  counts: PageCounts
}

interface Reception {
  info: BookInfo | null
  expectedPages: number | null
  toc: TocEntry[]
  counts: PageCounts
  limits: FormatLimits
  sink: ExtractionSink
}

/**
 * Takes a book from a reading process, message by message; the next one is not looked at before the sink is done with
 * the last. Throws `ExtractionError` for what the process says or does wrong, and whatever the sink throws.
 */
export async function receiveBook(
  reader: ReaderProcess,
  watch: Watch,
  { sink, limits }: { sink: ExtractionSink; limits: FormatLimits },
): Promise<ReceivedBook> {
  const book: Reception = { info: null, expectedPages: null, toc: [], counts: noPages(), limits, sink }
  for (;;) {
    const message = await nextMessage(reader, watch)
    if ('rss' in message) reader.reportedRss = message.rss
    if (message.type === 'failed') throw refusal(reader, message)
    if (message.type === 'info') await takeInfo(book, message)
    else if (book.info === null) throw outOfOrder(message)
    else if (message.type === 'pages') await takePages(book, message.pages)
    else if (message.type === 'toc') takeToc(book, message.entries)
    else {
      reader.atRest = true
      return { info: book.info, toc: cleanToc(book.toc, book.counts.pages), counts: book.counts }
    }
  }
}

/** A file that was refused leaves the process in order; a defect of the reader or a lack of memory may not. */
function refusal(
  reader: ReaderProcess,
  { code, message }: Extract<ReaderMessage, { type: 'failed' }>,
): ExtractionError {
  reader.atRest = code !== 'CRASHED' && code !== 'OUT_OF_MEMORY'
  return new ExtractionError(code, message.slice(0, 4_000))
}

async function nextMessage(reader: ReaderProcess, watch: Watch): Promise<ReaderMessage> {
  const killed = watch.verdict()
  if (killed) throw killed
  let value: unknown
  try {
    value = await watch.during(reader.next())
  } catch (error) {
    throw watch.verdict() ?? new ExtractionError('CRASHED', 'the channel broke', { cause: error })
  }
  const stopped = watch.verdict()
  if (stopped) throw stopped
  if (value === undefined) throw await endedEarly(reader)
  const message = ReaderMessage.safeParse(value)
  if (message.success) return message.data
  throw new ExtractionError('CRASHED', 'a message that is not in the protocol', { cause: message.error })
}

/** The channel ended without `end`. A kill that was not ours is nearly always the system running out of memory. */
async function endedEarly(reader: ReaderProcess): Promise<ExtractionError> {
  const { code, signal, output } = await reader.settle()
  const outOfMemory = signal === 'SIGKILL' || /heap out of memory|allocation failed/i.test(output)
  const message = `the process ended with ${signal ?? `code ${code}`}${output === '' ? '' : `: ${output}`}`
  return new ExtractionError(outOfMemory ? 'OUT_OF_MEMORY' : 'CRASHED', message)
}

async function takeInfo(book: Reception, message: Extract<ReaderMessage, { type: 'info' }>): Promise<void> {
  if (book.info !== null) throw outOfOrder(message)
  if (message.pageCount !== null) refuseOver(message.pageCount, book.limits.pages, 'pages')
  book.info = cleanInfo(message.info)
  book.expectedPages = message.pageCount
  await book.sink.onInfo(book.info, message.pageCount)
}

async function takePages(book: Reception, received: ExtractedPage[]): Promise<void> {
  const { counts, limits, sink } = book
  const firstPage = counts.pages + 1
  const pages = received.map((page) => {
    refuseOver(page.content.length, maxPageCharacters, 'characters on a page')
    const clean = cleanPage(page)
    countPage(counts, clean)
    return clean
  })
  refuseOver(counts.pages, limits.pages, 'pages')
  refuseOver(counts.characters, limits.totalBytes, 'characters')
  await sink.onPages(pages, firstPage)
  sink.onProgress?.(counts.pages, book.expectedPages)
}

function takeToc(book: Reception, entries: TocEntry[]): void {
  if (book.toc.length + entries.length > maxTocEntries) throw new ExtractionError('CRASHED', 'more toc than asked for')
  book.toc.push(...entries)
}

function refuseOver(figure: number, bound: number, what: string): void {
  if (figure > bound) throw new ExtractionError('TOO_LARGE', `${figure} ${what}, more than ${bound}`)
}

function outOfOrder(message: ReaderMessage): ExtractionError {
  return new ExtractionError('CRASHED', `a message out of order: ${message.type}`)
}
