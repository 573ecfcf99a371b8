// The ranking quality of pages in public collections with known answers (nDCG@10), compared with SQLite's FTS5 and, if
// installed, tantivy (`LECTERN_BENCH_PYTHON`: a Python with it) and Lucene (`LECTERN_BENCH_LUCENE`: a folder with its
// jars). With `--embeddings URL` also with the vectors of an OpenAI-compatible service. Usage: node
// bench/search-questions.ts FOLDER-OF-QUESTIONS [NAME-PART] [--typos] [--lost] [--embeddings URL [--model NAME]].
// `--lost` lists the questions that the best other engine answers better.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createAccount } from '../src/accounts/create-account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { openServices, type OpenedServices } from '../src/app/services.ts'
import { newBook } from '../src/books/new-book.ts'
import { newId } from '../src/core/ids.ts'
import { embedderTimes } from '../src/embeddings/embedder.ts'
import { embedNextBook } from '../src/embeddings/embed-next-book.ts'
import { embeddingTimes } from '../src/embeddings/worker.ts'
import { indexBook } from '../src/search/index/index-book.ts'
import { searchPages } from '../src/search/search-pages.ts'
import { createFts } from './search-fts.ts'
import { rankWithLucene, rankWithTantivy, type RankedPages } from './search/peers.ts'
import { withTypo } from './typos.ts'
import { percentiles, printLine, printTable } from './statistics.ts'

interface Collection {
  name: string
  lang: string
  docs: { id: string; title: string; text: string }[]
  queries: { id: string; text: string; rel: string[] }[]
}

interface PlacedDocument {
  bookId: string
  page: number
}

const log = createLog('silent')
/** Searches wait for the vector of their query, because only the ranking is measured. */
const longTimeouts = {
  ...embeddingTimes,
  ...embedderTimes,
  queryWaitMs: 3000,
  pagesMs: 600_000,
  sliceMs: 3_600_000,
  leaseMs: 7_200_000,
}
/** Pages per book; 1: notes, which are books of one page. */
const layouts = [60, 1]

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    typos: { type: 'boolean' },
    lost: { type: 'boolean' },
    embeddings: { type: 'string' },
    model: { type: 'string', default: 'default' },
  },
})
const [folder, part = ''] = positionals
if (!folder)
  throw new Error(
    'Usage: node bench/search-questions.ts FOLDER-OF-QUESTIONS [NAME-PART] [--typos] [--lost] [--embeddings URL]',
  )
const files = (await readdir(folder)).filter((name) => name.endsWith('.json') && name.includes(part)).sort()
const peers = ['FTS5', 'tantivy', 'Lucene'] as const
const columns = [
  ...layouts.map((pages) => `Lectern, ${pages}`),
  ...(options.embeddings === undefined ? [] : layouts.map((pages) => `hybrid, ${pages}`)),
  ...peers,
]
const rows = [['nDCG@10 of pages', ...columns, 'won:lost', 'answered', 'p50 ms', 'p95 ms', 'CPU ms']]
const sums = columns.map(() => 0)
for (const file of files) {
  const collection: Collection = JSON.parse(await readFile(join(folder, file), 'utf8'))
  if (options.typos) for (const query of collection.queries) query.text = withTypo(query.text)
  const measured = []
  for (const pagesPerBook of layouts) measured.push(await measure(collection, pagesPerBook))
  if (options.embeddings !== undefined)
    for (const pagesPerBook of layouts) measured.push(await measure(collection, pagesPerBook, options.embeddings))
  const others = [
    await rankWithFts(collection),
    scoresOf(collection, rankWithTantivy(collection)),
    scoresOf(collection, rankWithLucene(collection)),
  ]
  const figures = [...measured.map(({ scores }) => scores), ...others].map((scores) => scores && mean(scores))
  for (const [at, figure] of figures.entries()) sums[at] = (sums[at] ?? 0) + (figure ?? NaN)
  const { p50, p95 } = percentiles(measured.flatMap(({ times }) => times))
  const answered = measured.map(({ empty }) => `${collection.queries.length - empty}`).join(', ')
  const best = bestOf(others)
  const own = measured[0]?.scores ?? []
  rows.push([
    collection.name,
    ...figures.map((figure) => figure?.toFixed(3) ?? 'not installed'),
    comparePairs(own, best),
    `${answered} of ${collection.queries.length}`,
    p50.toFixed(1),
    p95.toFixed(1),
    (measured.reduce((sum, { cpu }) => sum + cpu, 0) / measured.length).toFixed(1),
  ])
  printLine(rows.at(-1)?.join('  ') ?? '')
  if (options.lost) printLost(collection, own, best)
}
rows.push(['mean', ...sums.map((sum) => (sum / files.length).toFixed(3)), '', '', '', '', ''])
printTable(rows)

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** The scores of the questions by the engine with the best mean. */
function bestOf(engines: readonly (readonly number[] | null)[]): readonly number[] {
  const installed = engines.filter((scores) => scores !== null)
  return installed.reduce((best, scores) => (mean(scores) > mean(best) ? scores : best))
}

/** How many questions the first engine answers better, and how many worse, and how likely chance alone makes such a difference. */
function comparePairs(own: readonly number[], other: readonly number[]): string {
  const differences = own.map((score, at) => score - (other[at] ?? 0))
  const [won, lost] = [differences.filter((each) => each > 0).length, differences.filter((each) => each < 0).length]
  return `${won}:${lost} p=${signTest(won, lost).toFixed(2)}`
}

/** The two-sided p-value of the sign test. */
function signTest(won: number, lost: number): number {
  const count = won + lost
  let [probability, sum] = [0.5 ** count, 0]
  for (let at = 0; at <= Math.min(won, lost); at++) {
    sum += probability
    probability *= (count - at) / (at + 1)
  }
  return Math.min(1, 2 * sum)
}

function printLost({ queries }: Collection, own: readonly number[], other: readonly number[]): void {
  for (const [at, { id, text, rel }] of queries.entries()) {
    const [score = 0, better = 0] = [own[at], other[at]]
    if (score < better) printLine(`  ${score.toFixed(2)} < ${better.toFixed(2)}  ${id} (${rel.join(' ')}) ${text}`)
  }
}

/** The score of each question by a peer; null if it is not installed. */
function scoresOf({ queries }: Collection, ranked: RankedPages | null): number[] | null {
  return ranked && queries.map(({ id, rel }) => ndcgOf(ranked.get(id) ?? [], rel))
}

async function measure({ docs, queries, lang }: Collection, pagesPerBook: number, embeddings?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-questions-'))
  const vectors = embeddings && { LECTERN_EMBEDDINGS_URL: embeddings, LECTERN_EMBEDDINGS_MODEL: options.model }
  const open = await openServices(readConfig({ LECTERN_DATA_DIR: directory, ...vectors }), { embedding: longTimeouts })
  try {
    const account = await createAccount(open.services, { email: 'questions@lectern.example' })
    const places = new Map<string, PlacedDocument>()
    for (let from = 0; from < docs.length; from += pagesPerBook) {
      const pages = docs.slice(from, from + pagesPerBook)
      const bookId = await addBook(open, account.id, { pages, lang })
      for (const [at, { id }] of pages.entries()) places.set(id, { bookId, page: at + 1 })
    }
    await embedAll(open)
    const ctx = createAccountContext({ services: open.services, log }, account)
    const names = new Map([...places].map(([id, { bookId, page }]) => [`${bookId}:${page}`, id]))
    const scores: number[] = []
    let empty = 0
    const times: number[] = []
    const before = process.cpuUsage()
    for (const { text, rel } of queries) {
      const started = performance.now()
      const { results } = await searchPages(ctx, { query: text })
      times.push(performance.now() - started)
      if (results.length === 0) empty += 1
      scores.push(
        ndcgOf(
          results.map(({ id }) => names.get(id) ?? ''),
          rel,
        ),
      )
    }
    const { user, system } = process.cpuUsage(before)
    return { scores, times, empty, cpu: (user + system) / 1000 / queries.length }
  } finally {
    await open.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function embedAll({ services }: OpenedServices): Promise<void> {
  const { embedder } = services
  if (embedder === null) return
  const started = performance.now()
  const { signal } = new AbortController()
  while (await embedNextBook({ ...services, embedder, log }, longTimeouts, signal));
  const waiting = await services.embeddings.countWaiting()
  if (waiting > 0) throw new Error(`${waiting} pages have no vector: does the service answer?`)
  printLine(`vectors after ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function addBook(
  { services }: OpenedServices,
  ownerId: string,
  { pages, lang }: { pages: Collection['docs']; lang: string },
): Promise<string> {
  const id = newId()
  const createdAt = new Date()
  const contents = pages.map(({ text }) => ({ content: text, label: null }))
  await services.contents.writePages(id, 'import', { first: 0, pages: contents })
  await services.contents.seal({
    itemId: id,
    version: 1,
    runs: [{ revision: 'import', start: 0, count: pages.length }],
    pageCount: pages.length,
    bytes: 0,
    words: 0,
    toc: [],
    createdAt,
    createdBy: ownerId,
    client: null,
    reason: 'import',
    jobId: null,
  })
  const fields = { id, ownerId, title: 'Untitled', author: null, sourceType: 'markdown' as const, createdAt }
  await services.books.add({
    ...newBook({ ...fields, pageCount: pages.length, status: 'READY', version: 1 }),
    language: lang,
  })
  await indexBook({ ...services, log }, { id, ownerId })
  return id
}

async function rankWithFts({ docs, queries }: Collection): Promise<number[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-fts-'))
  const fts = createFts(
    join(directory, 'fts.db'),
    docs.map(({ id, title, text }) => ({ id, title, pages: [text], toc: [] })),
  )
  const scores = queries.map(({ text, rel }) =>
    ndcgOf(
      fts.search(text, 'best-page').map(({ id }) => id),
      rel,
    ),
  )
  fts.close()
  await rm(directory, { recursive: true, force: true })
  return scores
}

/** Each relevant page has the gain 1. */
function ndcgOf(found: readonly string[], relevant: readonly string[]): number {
  const known = new Set(relevant)
  const discount = (rank: number) => 1 / Math.log2(rank + 2)
  const gained = found.slice(0, 10).reduce((sum, id, rank) => sum + (known.has(id) ? discount(rank) : 0), 0)
  let ideal = 0
  for (let rank = 0; rank < Math.min(10, known.size); rank++) ideal += discount(rank)
  return ideal === 0 ? 0 : gained / ideal
}
