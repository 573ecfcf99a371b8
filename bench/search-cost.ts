// The cost of indexing and searching real texts, compared with SQLite's FTS5 in the same run: CPU time per megabyte,
// bytes on disk, CPU time of a call over HTTP with an API key, and the number of round trips to the store per search.
// Usage: node bench/search-cost.ts FOLDER-OF-TEXTS [PAGES]; a form feed separates pages.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import type { Account } from '../src/core/account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { openServices, type OpenedServices } from '../src/app/services.ts'
import { newBook } from '../src/books/new-book.ts'
import { newId } from '../src/core/ids.ts'
import { indexBook } from '../src/search/index/index-book.ts'
import { mergeLibrary } from '../src/search/index/merge-segments.ts'
import { searchItems } from '../src/search/search-items.ts'
import { measureCalls } from './search-http.ts'
import { createFts } from './search-fts.ts'
import { indexBytes, indexDiskBytes, removeReplacedParts } from './index-size.ts'
import { randomFrom } from './search-queries.ts'
import { percentiles, printLine } from './statistics.ts'

const log = createLog('silent')
/** The commands that a search waits for. */
const reads = new Set(['find', 'aggregate', 'getMore'])
const [folder, pageLimit = '10000'] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node bench/search-cost.ts FOLDER-OF-TEXTS [PAGES]')
const books = await readBooks(folder, Number(pageLimit))
const pageCount = books.reduce((sum, { pages }) => sum + pages.length, 0)
const megabytes = books.reduce((sum, { pages }) => sum + Buffer.byteLength(pages.join('')), 0) / 1e6
const directory = await mkdtemp(join(tmpdir(), 'lectern-cost-'))
const config = readConfig({ LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' })
printLine(`${books.length} books, ${pageCount} pages, ${megabytes.toFixed(1)} MB of text`)
try {
  const startedFts = process.cpuUsage()
  const fts = createFts(join(directory, 'fts.db'), books)
  const ftsCpu = msSince(startedFts) / megabytes
  const { key, account, cpu, bytes, unsweptBytes } = await indexAll()
  printLine(
    `indexing: ${cpu.toFixed(0)} ms CPU per MB; FTS5 ${ftsCpu.toFixed(0)}, that is ${(cpu / ftsCpu).toFixed(1)} × FTS5`,
  )
  const share = (size: number) => (size / 1e6 / megabytes).toFixed(2)
  printLine(
    `index: ${share(indexDiskBytes(directory))} MB on disk per MB of text; FTS5 ${share(fts.bytes)}; its documents ${share(bytes)}, ` +
      `and ${share(unsweptBytes)} before what merges replaced is removed`,
  )
  for (const [kind, words] of [
    ['short', 2],
    ['long', 12],
  ] as const) {
    const queries = drawQueries(books, words)
    const waits = await countWaits(account, queries.slice(0, 30))
    const calls = await measureCalls({ directory, key, queries })
    const startedSearch = process.cpuUsage()
    for (const query of queries) fts.search(query, 'best-page')
    const peer = msSince(startedSearch) / queries.length
    printLine(
      `${kind}: CPU ${calls.cpu.toFixed(1)} ms over HTTP (wall ${calls.wall.toFixed(1)}), new process ${calls.first.toFixed(1)}; ` +
        `FTS5 ${peer.toFixed(1)}; waits ${waits.warm} warm, ${waits.cold} cold, ${waits.typo} cold with a mistake of typing`,
    )
  }
  fts.close()
} finally {
  await rm(directory, { recursive: true, force: true })
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function readBooks(from: string, most: number) {
  const found: { id: string; title: string; pages: string[]; toc: [] }[] = []
  let left = most
  for (const name of (await readdir(from)).sort()) {
    const pages = (await readFile(join(from, name), 'utf8')).split('\f').slice(0, left)
    if (pages.length === 0) break
    left -= pages.length
    found.push({ id: newId(), title: name, pages, toc: [] })
  }
  return found
}

/**
 * Stores all books, then indexes them like the server after an import. Returns the CPU time of the indexing alone in ms per MB, and the
 * size of the index in bytes, before and after what merges replaced was removed.
 */
async function indexAll() {
  const open = await openServices(config)
  try {
    const account = await createAccount(open.services, { email: 'cost@lectern.example' })
    const { key } = await createApiKey(open.services, account.id, {})
    for (const book of books) await store(open, account.id, book)
    const before = process.cpuUsage()
    for (const { id } of books) await indexBook({ ...open.services, log }, { id, ownerId: account.id })
    await mergeLibrary(open.services, account.id)
    const cpu = msSince(before) / megabytes
    const { db } = open.database
    const unsweptBytes = await indexBytes(db)
    await removeReplacedParts(open.services, db)
    return { key, account, cpu, bytes: await indexBytes(db), unsweptBytes }
  } finally {
    await open.close()
  }
}

async function store({ services }: OpenedServices, ownerId: string, { id, title, pages }: (typeof books)[number]) {
  const createdAt = new Date()
  await services.contents.writePages(id, 'import', {
    first: 0,
    pages: pages.map((content) => ({ content, label: null })),
  })
  await services.contents.seal({
    itemId: id,
    version: 1,
    runs: [{ revision: 'import', start: 0, count: pages.length }],
    pageCount: pages.length,
    bytes: 0,
    words: 0,
    toc: outlineOf(pages),
    createdAt,
    createdBy: ownerId,
    client: null,
    reason: 'import',
    jobId: null,
  })
  const known = { id, ownerId, title, sourceType: 'pdf' as const, createdAt, pageCount: pages.length }
  await services.books.add(newBook({ ...known, status: 'READY', version: 1 }))
}

/** Returns an outline with an entry for every tenth page, with the first words of the page as its title. */
function outlineOf(pages: readonly string[]) {
  return pages.flatMap((text, at) =>
    at % 10 === 0 ? [{ title: text.trim().slice(0, 40), page: at + 1, level: 1 }] : [],
  )
}

/** Draws queries of consecutive words from random pages. */
function drawQueries(from: typeof books, words: number): string[] {
  const random = randomFrom(words)
  const queries: string[] = []
  while (queries.length < 200) {
    const { pages } = from[Math.floor(random() * from.length)] as (typeof books)[number]
    const page = pages[Math.floor(random() * pages.length)] as string
    const found = page.match(/\b[a-z]{2,14}\b/gi) ?? []
    const at = Math.floor(random() * Math.max(1, found.length - words))
    if (found.length >= words) queries.push(found.slice(at, at + words).join(' '))
  }
  return queries
}

/** The median number of round trips to the store per search: in a new process, and for a repeated query. */
async function countWaits(account: Account, queries: readonly string[]) {
  const typing = queries.map((query) => query.replace(/([a-z])([a-z])([a-z]{3,})/i, '$2$1$3'))
  return {
    cold: (await waitsOf(account, queries)).cold,
    typo: (await waitsOf(account, typing)).cold,
    warm: (await waitsOf(account, queries.slice(0, 5))).warm,
  }
}

async function waitsOf(account: Account, queries: readonly string[]): Promise<{ cold: number; warm: number }> {
  const open = await openServices(config, { monitorCommands: true })
  let [waits, running] = [0, 0]
  const { client } = open.database
  client.on('commandStarted', ({ commandName }) => {
    if (!reads.has(commandName)) return
    if (running++ === 0) waits++
  })
  client.on('commandSucceeded', ({ commandName }) => {
    if (reads.has(commandName)) running--
  })
  try {
    const ctx = createAccountContext({ services: open.services, log }, account)
    const counted: number[][] = [[], []]
    for (const counts of counted) {
      for (const query of queries) {
        waits = 0
        await searchItems(ctx, { query, limit: 10 })
        counts.push(waits)
      }
    }
    const [cold = [], warm = []] = counted
    return { cold: Math.max(...cold), warm: percentiles(warm).p50 }
  } finally {
    await open.close()
  }
}
