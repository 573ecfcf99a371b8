import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { KeepFigure } from '../formats/figures.ts'
import type { BookInfo, ExtractedPage, BookReader, OpenBook } from '../formats/format.ts'
import type { ReaderCommand, ReaderMessage, SourceType } from './messages.ts'
import type { DocumentFormat } from '../formats/document/open-document.ts'
import { defaultLimits, FormatError } from '../formats/format.ts'
import { maxPageCharacters, maxTocEntries } from './limits.ts'
import { dropWritePermission } from './drop-write-permission.ts'
import { warmUpPdf } from './warm-up-pdf.ts'

type ReadCommand = Extract<ReaderCommand, { type: 'read' }>
type Send = (message: ReaderMessage) => Promise<void>

const maxBatchPages = 32
const maxBatchCharacters = 64 * 1024
const maxBatchDelayMs = 100
const tocBatchSize = 1_000
const maxSentCharacters = 20_000

const formats: Record<SourceType, () => Promise<OpenBook>> = {
  pdf: async () => {
    const { openPdf, warmPdf } = await import('../formats/pdf/open-pdf.ts')
    await warmPdf()
    return openPdf
  },
  epub: async () => (await import('../formats/epub/open-epub.ts')).openEpub,
  markdown: async () => (await import('../formats/markdown/open-markdown.ts')).openMarkdown,
  text: openAnyDocument('text'),
  html: openAnyDocument('html'),
  fb2: openAnyDocument('fb2'),
  docx: openAnyDocument('docx'),
  odt: openAnyDocument('odt'),
  rtf: openAnyDocument('rtf'),
  mobi: openAnyDocument('mobi'),
  azw3: openAnyDocument('azw3'),
  cbz: openAnyDocument('cbz'),
}

function openAnyDocument(named: DocumentFormat): () => Promise<OpenBook> {
  return async () => {
    const { loadDocumentReader, openDocumentNamed } = await import('../formats/document/open-document.ts')
    await loadDocumentReader(named)
    return openDocumentNamed(named)
  }
}

/** Loads every format, for a process that stores the compiled code. */
export async function preloadEveryFormat(): Promise<void> {
  for (const sourceType of Object.keys(formats)) await preloadFormat(sourceType as SourceType)
}

/** Loads a format, and for PDF reads a small file, so that the first book starts quickly. Ignores errors, because they recur with the book. */
export async function preloadFormat(sourceType: SourceType): Promise<void> {
  try {
    const open = await formats[sourceType]()
    if (sourceType !== 'pdf') return
    const book = await open(warmUpPdf(), defaultLimits)
    await sendBook(book, async () => undefined)
    await book.close()
  } catch {
    // See above.
  }
}

/**
 * Reads one book from `channel` and sends its messages at the pace of `send`. The last message is `end` or `failed`.
 */
export async function readBook(command: ReadCommand, channel: Readable, send: Send): Promise<void> {
  try {
    const [open, file] = await Promise.all([loadFormat(command), receiveFile(channel, command.bytes)])
    dropWritePermission()
    await send({ type: 'opening' })
    const keepFigure: KeepFigure = ({ bytes }) => send({ type: 'figure', data: Buffer.from(bytes).toString('base64') })
    const book = await open(file, command.limits, {
      keepFigure: command.figures ? keepFigure : undefined,
      password: command.password,
    })
    try {
      await sendBook(book, send)
    } finally {
      await book.close()
    }
    await send({ type: 'end', rss: process.memoryUsage.rss(), hasFormulas: book.hasFormulas ?? false })
  } catch (error) {
    await send(toFailedMessage(error))
  }
}

/** The next `length` bytes of a channel. */
export async function receiveFile(channel: Readable, length: number): Promise<Uint8Array> {
  const file = new Uint8Array(length)
  let received = 0
  while (received < length) {
    const chunk: Buffer | null = channel.read(Math.min(length - received, channel.readableLength || 1))
    if (chunk === null) {
      await once(channel, 'readable')
      continue
    }
    file.set(chunk, received)
    received += chunk.length
  }
  return file
}

async function loadFormat({ formatModule, sourceType }: ReadCommand): Promise<OpenBook> {
  return formatModule === null ? formats[sourceType]() : (await import(formatModule)).open
}

async function sendBook(book: BookReader, send: Send): Promise<void> {
  const { info, pageCount, hasCover = false, format = null } = book
  await send({ type: 'info', info: truncatedInfo(info), pageCount, hasCover, format })
  await sendPages(book.pages(), send)
  const toc = await book.toc()
  for (let from = 0; from < Math.min(toc.length, maxTocEntries); from += tocBatchSize) {
    const entries = toc.slice(from, from + tocBatchSize)
    await send({ type: 'toc', entries: entries.map((entry) => ({ ...entry, title: entry.title.slice(0, 1_000) })) })
  }
}

/** Sends the first page at once and later pages in batches, which reduces the load on the database. */
async function sendPages(pages: AsyncIterable<ExtractedPage>, send: Send): Promise<void> {
  let batch: ExtractedPage[] = []
  let characters = 0
  let flushAt = 0
  const flush = async () => {
    if (batch.length > 0) await send({ type: 'pages', pages: batch, rss: process.memoryUsage.rss() })
    batch = []
    characters = 0
    flushAt = performance.now() + maxBatchDelayMs
  }
  for await (const page of pages) {
    if (page.content.length > maxPageCharacters) {
      throw new FormatError('TOO_LARGE', `a page of ${page.content.length} characters`)
    }
    batch.push({ ...page, label: page.label === null ? null : page.label.slice(0, 200) })
    characters += page.content.length
    if (batch.length >= maxBatchPages || characters >= maxBatchCharacters || performance.now() >= flushAt) await flush()
  }
  await flush()
}

/** Limits the length of metadata in a message; `cleanInfo` and `cleanToc` enforce the library's limits. */
function truncated(text: string | null): string | null {
  return text === null ? null : text.slice(0, maxSentCharacters)
}

function truncatedInfo(info: BookInfo): BookInfo {
  return {
    title: truncated(info.title),
    author: truncated(info.author),
    language: truncated(info.language),
    publisher: truncated(info.publisher),
    isbn: truncated(info.isbn),
    description: truncated(info.description),
  }
}

/** The `failed` message for an error. */
export function toFailedMessage(error: unknown): ReaderMessage {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { type: 'failed', code: failureCodeOf(error), message: message.slice(0, 4_000) }
}

function failureCodeOf(error: unknown): Extract<ReaderMessage, { type: 'failed' }>['code'] {
  if (error instanceof FormatError) return error.code
  return error instanceof RangeError && /allocation failed/i.test(error.message) ? 'OUT_OF_MEMORY' : 'CRASHED'
}
