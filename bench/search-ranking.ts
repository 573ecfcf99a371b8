import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import type { Account } from '../src/core/account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { newBook } from '../src/books/new-book.ts'
import { createExtractor } from '../src/imports/extract/create-extractor.ts'
import { newId } from '../src/core/ids.ts'
import { createLog } from '../src/app/log.ts'
import { indexBook } from '../src/search/index/index-book.ts'
import { searchItems } from '../src/search/search-items.ts'
import type { OpenedServices } from '../src/app/services.ts'
import { createFts, type RankedBook } from './search-fts.ts'
import { makeQueries, type JudgedQuery } from './search-queries.ts'
import { percentiles, printLine, printTable } from './statistics.ts'
import { indexBytes, removeReplacedParts } from './index-size.ts'

export interface RealBook {
  id: string
  title: string
  pages: string[]
  toc: { title: string; page: number }[]
}

const log = createLog('silent')
type Engine = (query: string) => Promise<RankedBook[]>

/** Prints for both engines how they rank real books, their search time, and the size of their indexes. */
export async function compareRanking(open: OpenedServices, account: Account, folder: string): Promise<void> {
  const { books, indexMs } = await importAll(open, account, folder)
  const text = books.reduce((sum, { pages }) => sum + Buffer.byteLength(pages.join('')), 0)
  const directory = await mkdtemp(join(tmpdir(), 'lectern-fts-'))
  const fts = createFts(join(directory, 'fts.db'), books)
  const queries = makeQueries(books)
  const ctx = createAccountContext({ services: open.services, log }, account)
  const lectern: Engine = async (query) => {
    const { items } = await searchItems(ctx, { query, limit: 10 })
    return items.map(({ id, hits }) => ({ id, pages: hits.map(({ page }) => page) }))
  }
  const engines: [string, Engine][] = [
    ['Lectern', lectern],
    ['FTS5, best page', async (query) => fts.search(query, 'best-page')],
    ['FTS5, best three', async (query) => fts.search(query, 'best-three')],
    ['FTS5, all words first', async (query) => fts.search(query, 'all-words-first')],
  ]
  printLine(`${books.length} books, ${queries.length} queries`)
  const kinds = [...new Set(queries.map(({ kind }) => kind))]
  const rows: string[][] = [['nDCG@10', ...kinds, 'all-words-first', 'p50 ms', 'p95 ms']]
  for (const [name, engine] of engines) {
    const scored = await scoreEngine(engine, queries)
    const mean = (kind?: string) => {
      const some = scored.filter((one) => kind === undefined || one.kind === kind)
      return (some.reduce((sum, one) => sum + one.ndcg, 0) / some.length).toFixed(3)
    }
    const { p50, p95 } = percentiles(scored.map(({ ms }) => ms))
    rows.push([name, ...kinds.map((kind) => mean(kind)), mean(), p50.toFixed(1), p95.toFixed(1)])
  }
  printTable(rows)
  await removeReplacedParts(open.services, open.database.db)
  const own = await indexBytes(open.database.db)
  const share = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB, ${(bytes / text).toFixed(2)} × the text`
  printLine(`text ${(text / 1e6).toFixed(1)} MB; index ${share(own)}; FTS5 ${share(fts.bytes)}`)
  printLine(`indexed at ${(text / 1e3 / indexMs).toFixed(2)} MB/s; FTS5 at ${(text / 1e3 / fts.ms).toFixed(2)} MB/s`)
  fts.close()
  await rm(directory, { recursive: true, force: true })
}

async function scoreEngine(engine: Engine, queries: readonly JudgedQuery[]) {
  const scored: { kind: string; ms: number; ndcg: number }[] = []
  for (const { query, kind, relevant } of queries) {
    const started = performance.now()
    const found = await engine(query)
    scored.push({ kind, ms: performance.now() - started, ndcg: ndcg(found, relevant) })
  }
  return scored
}

function gain(grade: number, rank: number): number {
  return (2 ** grade - 1) / Math.log2(rank + 2)
}

/** A relevant book has the gain 2 if the right page is among its three, otherwise 1. */
function ndcg(found: readonly RankedBook[], relevant: JudgedQuery['relevant']): number {
  const dcg = found.slice(0, 10).reduce((sum, { id, pages }, rank) => {
    const relevantPages = relevant.get(id)
    if (!relevantPages) return sum
    return sum + gain(pages.some((page) => relevantPages.includes(page)) ? 2 : 1, rank)
  }, 0)
  let ideal = 0
  for (let rank = 0; rank < Math.min(10, relevant.size); rank++) ideal += gain(2, rank)
  return dcg / ideal
}

async function importAll({ services }: OpenedServices, account: Account, folder: string) {
  const extractor = createExtractor()
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(pdf|epub)$/.test(name)).sort()
  const books: RealBook[] = []
  let indexMs = 0
  for (const file of files) {
    const sourceType = file.endsWith('.epub') ? ('epub' as const) : ('pdf' as const)
    const pages: string[] = []
    let title = basename(file, extname(file))
    let author: string | null = null
    const { toc } = await extractor.extract(
      { path: join(folder, file), sourceType, accountId: 'bench', signal: new AbortController().signal },
      {
        onInfo: async (info) => {
          title = info.title ?? title
          author = info.author ?? null
        },
        onPages: async (batch) => void pages.push(...batch.map(({ content }) => content)),
        onProgress: () => {},
      },
    )
    const id = newId()
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
      bytes: Buffer.byteLength(pages.join('')),
      words: 0,
      toc,
      createdAt,
      createdBy: account.id,
      client: null,
      reason: 'import',
      jobId: null,
    })
    const known = { id, ownerId: account.id, title, author, sourceType, createdAt, pageCount: pages.length }
    await services.books.add(newBook({ ...known, status: 'READY', version: 1 }))
    const started = performance.now()
    await indexBook({ ...services, log }, { id, ownerId: account.id })
    indexMs += performance.now() - started
    books.push({ id, title, pages, toc })
  }
  await extractor.close()
  return { books, indexMs }
}
