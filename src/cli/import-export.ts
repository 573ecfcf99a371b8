import { counted } from '../text/counted.ts'
import { resolve } from 'node:path'
import {
  importFile,
  importText,
  findText,
  sameTitle,
  type ExistingBook,
  type ImportContext,
  type ImportedBook,
  type KnownText,
} from './import-books.ts'
import { importPlaces, type PlacesReport } from './import-places.ts'
import { ClientError } from './client-error.ts'
import { openExport, type ExportArchive } from './export-archive.ts'
import { ExportedBook, type Manifest } from './export-schema.ts'
import { callWithinRateLimit } from './rate-limited-calls.ts'
import { createProgressLine, type ProgressLine } from './progress-line.ts'
import type { ReadArguments } from './read-arguments.ts'
import { findServer, type Server } from './server.ts'
import { oneLine } from './show-value.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

interface Report extends PlacesReport {
  added: number
  existing: number
  leftOut: { title: string; reason: string }[]
  /** Counts of exported objects that cannot be imported. */
  notBroughtBack: Record<string, number>
  /** Why it stopped before the last book; null if it did not. */
  stopped: string | null
}

/** Exported objects that stay in the archive only. */
const records = new Map([
  ['sessions', 'research sessions'],
  ['readingPositions', 'reading positions'],
  ['requests', 'requests to authors'],
  ['suggestions', 'suggestions'],
  ['reports', 'reports'],
  ['drafts', 'drafts'],
  ['versionTexts', 'earlier texts'],
  ['subscriptions', 'subscriptions'],
  ['listings', 'listings'],
  ['teams', 'teams'],
])

/** Imports an export into the account, after verifying every byte. A repeat imports only what is missing. */
export async function importExport({ words, options }: ReadArguments, terminal: Terminal): Promise<number> {
  const [file, ...others] = words
  if (file === undefined || others.length > 0) throw new UsageError('name one FILE')
  const progress = createProgressLine(terminal)
  try {
    const startedAt = performance.now()
    const path = resolve(terminal.folder, file)
    const server = await findServer(terminal, options)
    const archive = await openExport({ path, file }, (share) => progress.show(`Checking ${file}`, { share, startedAt }))
    try {
      const report = await importArchive(server, archive, progress)
      progress.clear()
      printReport(report, { terminal, asJson: options.has('json') })
      return report.stopped !== null || report.leftOut.length + report.refused.length > 0 ? 1 : 0
    } finally {
      archive.close()
    }
  } finally {
    progress.clear()
  }
}

async function importArchive(server: Server, archive: ExportArchive, progress: ProgressLine): Promise<Report> {
  const context: ImportContext = { server, archive, progress, here: await listBooks(server) }
  const books = await readBooks(archive)
  const ids = new Map<string, string>()
  const report: Omit<Report, keyof PlacesReport> = {
    added: 0,
    existing: 0,
    leftOut: [],
    notBroughtBack: recordsOf(archive.manifest),
    stopped: null,
  }
  const known = await findTexts(context, books)
  const taken = new Set([...known.values()].map(({ id }) => id))
  for (const book of books) {
    try {
      const { id, existed } = await importBook(context, { book, known: known.get(book.id) ?? null, taken })
      ids.set(book.id, id)
      report[existed ? 'existing' : 'added'] += 1
    } catch (error) {
      if (!(error instanceof ClientError) || fatal.has(error.code)) throw error
      if (limits.has(error.code)) {
        report.stopped = error.message
        break
      }
      report.leftOut.push({ title: book.title, reason: error.message })
    }
  }
  return { ...report, ...(await importPlaces({ server, archive, ids })) }
}

const fatal = new Set(['UNAVAILABLE', 'UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'RATE_LIMITED'])
/** Refusals that would also affect the next book. */
const limits = new Set(['PLAN_LIMIT_EXCEEDED', 'READ_LIMIT_EXCEEDED', 'STORAGE_FULL'])

/** The account's own books. */
async function listBooks(server: Server): Promise<ExistingBook[]> {
  const { items } = await callWithinRateLimit(server, 'GET', { path: '/api/v1/items' })
  return (items as (ExistingBook & { isSystem: boolean; isSubscribed: boolean; quotedFrom?: string })[]).filter(
    (item) => !item.isSystem && !item.isSubscribed && item.quotedFrom === undefined,
  )
}

/** The books of an export, oldest first, in the order in which they were added. */
async function readBooks(archive: ExportArchive): Promise<ExportedBook[]> {
  const paths = archive.manifest.files.map(({ path }) => path).filter((path) => /^books\/[^/]+\/book\.json$/.test(path))
  const books: ExportedBook[] = []
  for (const path of paths.toReversed()) books.push(await archive.json(path, ExportedBook))
  return books
}

/**
 * Finds the books without a file that exist here already, by their ids in the export; runs before any book is added.
 */
async function findTexts(context: ImportContext, books: readonly ExportedBook[]): Promise<Map<string, KnownText>> {
  const known = new Map<string, KnownText>()
  const taken = new Set<string>()
  for (const book of books.filter((one) => !one.original?.path && sameTitle(context.here, one).length > 0)) {
    const found = await findText(context, { book, text: await textOf(context, book), taken })
    if (!found) continue
    known.set(book.id, found)
    taken.add(found.id)
  }
  return known
}

async function importBook(
  context: ImportContext,
  { book, known, taken }: { book: ExportedBook; known: KnownText | null; taken: ReadonlySet<string> },
): Promise<ImportedBook> {
  const { archive, progress, here } = context
  progress.show(book.title, null)
  if (book.original?.path) return importFile(context, book, book.original.path)
  if (book.original && book.text === null)
    throw new ClientError('NOT_FOUND', 'the export contains neither its file nor its text')
  const text = book.text === null ? '' : await archive.text(book.text)
  if (!known && sameTitle(here, book).some(({ id }) => !taken.has(id))) {
    const reason = 'a book with this title and another text exists here. Rename that book to keep both'
    throw new ClientError('CONFLICT', reason)
  }
  return importText(context, { book, text, known })
}

function textOf({ archive }: ImportContext, { text }: ExportedBook): Promise<string> {
  return text === null ? Promise.resolve('') : archive.text(text)
}

function recordsOf({ counts }: Manifest): Record<string, number> {
  return Object.fromEntries([...records.keys()].flatMap((name) => (counts[name] ? [[name, counts[name]]] : [])))
}

function printReport(report: Report, { terminal, asJson }: { terminal: Terminal; asJson: boolean }): void {
  const { stdout, stderr } = terminal
  if (asJson) {
    stdout.write(`${JSON.stringify(report)}\n`)
    return
  }
  const { added, existing, leftOut, shelves, manuscripts, refused, stopped } = report
  stdout.write(
    `${counted(added, 'book')} imported, ${existing} already here, ${leftOut.length} left out; ${counted(shelves.created, 'shelf', 'shelves')} and ${counted(manuscripts, 'manuscript')} created\n`,
  )
  for (const { title, reason } of leftOut) stderr.write(`${oneLine(title)}: ${oneLine(reason)}\n`)
  for (const { what, reason } of refused) stderr.write(`${oneLine(what)}: ${oneLine(reason)}\n`)
  if (stopped !== null)
    stderr.write(`Ended before the last book: ${oneLine(stopped)} Then run the command again to continue.\n`)
  const kept = Object.entries(report.notBroughtBack).map(([name, count]) => `${count} ${records.get(name)}`)
  if (kept.length > 0) stderr.write(`These stay in the archive as records: ${kept.join(', ')}.\n`)
}
