import { extname } from 'node:path'
import { contentTypesOf, fileFormats, formatOf, type FileFormat } from '../books/file-formats.ts'
import { completeBook, readText, replaceText, writeBook } from './import-text.ts'
import { ClientError } from './client-error.ts'
import type { ExportArchive } from './export-archive.ts'
import type { ExportedBook } from './export-schema.ts'
import { refusalOf } from './call-json.ts'
import { parseJson } from './parse-json.ts'
import { callWithinRateLimit, retryWhileRateLimited } from './rate-limited-calls.ts'
import type { ProgressLine } from './progress-line.ts'
import { putBody } from './put-body.ts'
import type { Server } from './server.ts'
import { hasEnded, waitForImport, type ImportJob } from './wait-for-import.ts'

/** A book of the account on this server. */
export interface ExistingBook {
  id: string
  title: string
  sourceType: string
  enrichedAt: string | null
}

export interface ImportContext {
  server: Server
  archive: ExportArchive
  progress: ProgressLine
  here: readonly ExistingBook[]
}

/** The result for a book: its id here, and whether it existed before. */
export interface ImportedBook {
  id: string
  existed: boolean
}

/**
 * Imports a book with a file, unless the account has this file. Also imports its text if that was changed after its
 * import, and its metadata. Throws `ClientError` if it is refused, and if its import fails.
 */
export async function importFile(context: ImportContext, book: ExportedBook, path: string): Promise<ImportedBook> {
  const { server, here } = context
  const name = nameOf(book)
  const known = await findFile(context, path, name)
  const id = known ?? (await sendFile(context, { book, path, name }))
  if (known !== null) await waitForImportEnd(context, known, book.title)
  const found = here.find((one) => one.id === known)
  // The metadata are set last, so a completely imported book has some.
  const isWhole = known !== null && (found === undefined || found.enrichedAt !== null)
  if (isWhole) return { id, existed: true }
  if (wasWritten(book) && book.text !== null) {
    const text = await context.archive.text(book.text)
    const { content, version } = await readText(server, id)
    // A later version was written here.
    if (content !== text && version === 1) await replaceText(server, id, { text, version })
  }
  await describe(server, id, book)
  return { id, existed: known !== null }
}

/** The book here that was made from this file. The file name is meaningless, so that no title is derived from it. */
async function findFile({ server, archive }: ImportContext, path: string, name: string): Promise<string | null> {
  const { sha256, stream } = await archive.open(path)
  stream.destroy()
  const body = { filename: `${sha256}${extname(name)}`, sha256 }
  const { candidates } = await callWithinRateLimit(server, 'POST', { path: '/api/v1/upload/check', body })
  const same = (candidates as { id: string; score: number }[]).find(({ score }) => score === 1)
  return same?.id ?? null
}

async function sendFile(
  { server, archive, progress }: ImportContext,
  { book, path, name }: { book: ExportedBook; path: string; name: string },
): Promise<string> {
  const url = `${server.url}/api/v1/upload/${encodeURIComponent(name)}`
  const format = formatOf(name)
  const queued = await retryWhileRateLimited(async () => {
    const { bytes: size, stream } = await archive.open(path)
    const startedAt = performance.now()
    const onSent = (sent: number) =>
      progress.show(`Sending ${book.title}`, { share: size === 0 ? 1 : sent / size, startedAt })
    const headers = {
      'Content-Type': format ? (contentTypesOf(format)[0] as string) : 'application/octet-stream',
      ...(server.key === null ? {} : { Authorization: `Bearer ${server.key}` }),
    }
    const { status, text } = await putBody(url, { headers, size, stream, onSent })
    const parsed = parseJson(text)
    if (status < 200 || status > 299) throw refusalOf(server, status, parsed)
    return parsed as { item: { id: string }; job: ImportJob }
  })
  const job = await waitForImport(server, { file: book.title, job: queued.job }, progress)
  if (job.status !== 'SUCCEEDED') throw new ClientError('IMPORT_FAILED', job.error ?? 'the import did not succeed')
  return queued.item.id
}

/** Waits for an unfinished import of an earlier run. */
async function waitForImportEnd({ server, progress }: ImportContext, itemId: string, title: string): Promise<void> {
  const { jobs } = await callWithinRateLimit(server, 'GET', { path: '/api/v1/jobs' })
  const job = (jobs as (ImportJob & { itemId: string })[]).find((one) => one.itemId === itemId && !hasEnded(one))
  if (job) await waitForImport(server, { file: title, job }, progress)
}

/** A file name with an extension that indicates the format. */
function nameOf({ original, fileFormat, sourceType, title }: ExportedBook): string {
  const name = original?.filename || title
  const isKnown = fileFormat !== null && Object.hasOwn(fileFormats, fileFormat)
  const format = isKnown ? (fileFormat as FileFormat) : sourceType
  return formatOf(name) ? name : `${name}${fileFormats[format].extensions[0]}`
}

/** True if the text of a file was changed after its import. */
function wasWritten({ sourceType, versions }: ExportedBook): boolean {
  return sourceType === 'markdown' && !['import', 'reprocess', 'ocr'].includes(versions[0]?.reason ?? 'import')
}

/** A text of an export, and the book here that has the whole text or its start. */
export interface KnownText {
  id: string
  begun: string
  isWhole: boolean
}

/** Imports a book with a text and without a file; `known` is the book that an earlier run has created. */
export async function importText(
  { server, here }: ImportContext,
  { book, text, known }: { book: ExportedBook; text: string; known: KnownText | null },
): Promise<ImportedBook> {
  if (known && !known.isWhole) await completeBook(server, known.id, { text, begun: known.begun })
  const id = known?.id ?? (await writeBook(server, { title: book.title, description: book.description, text }))
  const isDescribed = here.some((one) => one.id === id && one.enrichedAt !== null)
  if (!isDescribed) await describe(server, id, book)
  return { id, existed: known !== null }
}

/**
 * The book here with a text, among those with its title that are not assigned yet: the whole text, or the start that an
 * interrupted run has left. Null if there is none.
 */
export async function findText(
  { server, here }: ImportContext,
  { book, text, taken }: { book: ExportedBook; text: string; taken: ReadonlySet<string> },
): Promise<KnownText | null> {
  let begun: KnownText | null = null
  for (const { id, enrichedAt } of sameTitle(here, book).filter((one) => !taken.has(one.id))) {
    const { content } = await readText(server, id)
    if (content === text) return { id, begun: content, isWhole: true }
    const isBegin = enrichedAt === null && content.endsWith('\n') && text.startsWith(content)
    if (isBegin) begun ??= { id, begun: content, isWhole: false }
  }
  return begun
}

/** The written books here with the same title as one in the export. */
export function sameTitle(here: readonly ExistingBook[], { title }: Pick<ExportedBook, 'title'>): ExistingBook[] {
  return here.filter((one) => one.sourceType === 'markdown' && one.title === title.trim())
}

/** Sets the metadata of a book: title, author, description, outline, prompts. */
async function describe(server: Server, id: string, book: ExportedBook): Promise<void> {
  const { title, author, description, sampleQuestion, outcomes, outline, prompts } = book
  const [first, ...others] = prompts
  const fields = { title, author, description, sampleQuestion, outcomes, confidence: book.enrichmentConfidence }
  const path = '/api/v1/items/enrich'
  for (const addPrompt of others) await callWithinRateLimit(server, 'PATCH', { path, body: { itemId: id, addPrompt } })
  const toc = outline.givenByYou ? { toc: outline.entries } : {}
  const body = { itemId: id, ...fields, ...toc, ...(first ? { addPrompt: first } : {}) }
  await callWithinRateLimit(server, 'PATCH', { path, body })
}
