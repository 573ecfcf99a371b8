import { createAccount } from '../src/accounts/create-account.ts'
import type { Account } from '../src/core/account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { newBook } from '../src/books/new-book.ts'
import { newId } from '../src/core/ids.ts'
import { createLog } from '../src/app/log.ts'
import { indexBook } from '../src/search/index/index-book.ts'
import { mergeLibrary } from '../src/search/index/merge-segments.ts'
import { searchItems } from '../src/search/search-items.ts'
import type { OpenedServices } from '../src/app/services.ts'
import { percentiles, printLine, logLogSlope, printTable, type Point } from './statistics.ts'
import { indexBytes, removeReplacedParts } from './index-size.ts'
import { randomFrom } from './search-queries.ts'

const log = createLog('silent')
const vocabulary = 30_000
const pagesPerBook = 10
const wordsPerPage = 200
const random = randomFrom(7)

/** The word with this rank in the vocabulary; rare words are longer. */
function wordOf(rank: number): string {
  return `${rank.toString(36)}${'lectionary'.slice(0, 1 + Math.floor(Math.log2(rank + 1) / 2.5))}`
}

/** Draws a rank from a Zipf distribution: the n-th word is about 1/n as frequent as the first. */
function drawRank(): number {
  return Math.min(vocabulary - 1, Math.floor(Math.exp(random() * Math.log(vocabulary))) - 1)
}

/** The words of a page: every other one repeats an earlier one, as in real texts. */
function drawWords(count: number): string[] {
  const words: string[] = []
  while (words.length < count) {
    const repeatsWord = words.length > 0 && random() < 0.5
    words.push(repeatsWord ? (words[Math.floor(random() * words.length)] as string) : wordOf(drawRank()))
  }
  return words
}

/**
 * Prints how the search time grows with the caller's own books and with those of others, in a new process each time.
 */
export async function measureGrowth(reopen: () => Promise<OpenedServices>, maxBooks: number): Promise<void> {
  let opened = await reopen()
  const large = await createAccount(opened.services, { email: 'large@lectern.example' })
  const small = await createAccount(opened.services, { email: 'small@lectern.example' })
  let text = await fill(opened, small, 100)
  const rows = [['books', 'p50 ms', 'p95', 'CPU', 'first p95', '100 beside: p50', 'p95', 'CPU', 'index ×']]
  const ownPoints: Point[] = []
  const otherPoints: Point[] = []
  let filled = 0
  for (const size of [100, 1000, 10_000, 100_000].filter((each) => each <= maxBooks)) {
    text += await fill(opened, large, size - filled)
    filled = size
    opened = await reopen()
    // The first calls of a process have empty caches and uncompiled code.
    const first = await measure(opened, large, 40)
    const [mine, others] = [await measure(opened, large, 160), await measure(opened, small, 160)]
    ownPoints.push([size, mine.cpu])
    otherPoints.push([size, others.cpu])
    const figures = [mine.p50, mine.p95, mine.cpu, first.p95, others.p50, others.p95, others.cpu]
    await removeReplacedParts(opened.services, opened.database.db)
    const share = (await indexBytes(opened.database.db)) / text
    rows.push([`${size}`, ...figures.map((ms) => ms.toFixed(1)), share.toFixed(2)])
    printLine(
      `${size} books, ${(text / 1e6).toFixed(1)} MB of text, ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`,
    )
  }
  printTable(rows)
  printLine(
    `slope of CPU time in the library ${logLogSlope(ownPoints).toFixed(2)}, in the books of others ${logLogSlope(otherPoints).toFixed(2)}`,
  )
}

/** Queries of one to three words, frequent and rare ones. */
async function measure(open: OpenedServices, account: Account, count: number) {
  const ctx = createAccountContext({ services: open.services, log }, account)
  const times: number[] = []
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) {
    const query = Array.from({ length: 1 + (at % 3) }, () => wordOf(drawRank())).join(' ')
    const started = performance.now()
    await searchItems(ctx, { query, limit: 10 })
    times.push(performance.now() - started)
  }
  const { user, system } = process.cpuUsage(before)
  return { ...percentiles(times), cpu: (user + system) / 1000 / count }
}

/** Adds generated books; returns the bytes of their text. */
async function fill({ services }: OpenedServices, account: Account, count: number): Promise<number> {
  let bytes = 0
  for (let at = 0; at < count; at++) {
    const id = newId()
    const createdAt = new Date()
    const pages = Array.from({ length: pagesPerBook }, (_, page) => {
      return { content: `# Chapter ${page + 1}\n\n${drawWords(wordsPerPage).join(' ')}\n`, label: null }
    })
    const size = pages.reduce((sum, { content }) => sum + content.length, 0)
    bytes += size
    await services.contents.writePages(id, 'create', { first: 0, pages })
    const segments = [{ revision: 'create', start: 0, count: pages.length }]
    const made = { createdAt, createdBy: account.id, client: null, reason: 'create', jobId: null }
    await services.contents.seal({
      itemId: id,
      version: 1,
      runs: segments,
      pageCount: pages.length,
      bytes: size,
      words: 0,
      toc: [],
      ...made,
    })
    const title = `${wordOf(drawRank())} ${wordOf(drawRank())}`
    const fixed = { id, ownerId: account.id, title, sourceType: 'markdown', status: 'READY', version: 1 } as const
    await services.books.add(newBook({ ...fixed, createdAt, pageCount: pages.length }))
    await indexBook({ ...services, log }, { id, ownerId: account.id })
  }
  await mergeLibrary(services, account.id)
  return bytes
}
