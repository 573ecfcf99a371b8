// A server in a separate process that reports the costs of calls: memory, and how long its event loop was blocked.
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { newBook } from '../../src/books/new-book.ts'
import { newId } from '../../src/core/ids.ts'
import { countWords } from '../../src/reading/count-words.ts'
import { pagesInBatch, type Measured, type Order, type StoredBook } from './measured-order.ts'
import { startTestServer, type TestServer } from './server.ts'

const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))

/** Stores a book with equal pages of any size, unlike an import, which limits what a client can send. */
async function storeBook({ running }: TestServer, { ownerId, page, count, sourceType }: StoredBook): Promise<string> {
  const { services, database } = running.opened
  const createdAt = services.now()
  const id = newId(createdAt)
  for (let first = 0; first < count; first += pagesInBatch) {
    const pages = Array.from({ length: Math.min(pagesInBatch, count - first) }, () => ({ content: page, label: null }))
    await services.contents.writePages(id, id, { first, pages })
  }
  await services.contents.seal({
    itemId: id,
    version: 1,
    runs: [{ revision: id, start: 0, count }],
    pageCount: count,
    bytes: Buffer.byteLength(page) * count,
    words: countWords(page) * count,
    toc: [],
    createdAt,
    createdBy: ownerId,
    reason: 'create',
    jobId: null,
  })
  const fixed = { id, ownerId, title: 'Stored', sourceType, status: 'READY', version: 1, pageCount: count } as const
  const { id: _id, ...fields } = newBook({ ...fixed, createdAt, indexDue: '' })
  await database.db.collection<{ _id: string }>('books').insertOne({ _id, ...fields })
  await services.books.removeCounts(ownerId)
  return id
}

// Nothing else runs during the measurement.
const readers = { codeCache: null }
const server = await startTestServer({}, { rateLimits: unlimited as typeof rateLimits, readers })
let memoryBefore = 0

/**
 * CPU time of the main thread between two timer ticks, ms: how long the event loop was blocked, independent of other
 * load on the machine.
 */
let slices: number[] = []
let lastCpu = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastCpu)
  slices.push((user + system) / 1000)
  lastCpu = process.threadCpuUsage()
}, 1)

function report(): Measured {
  const { maxRSS } = process.resourceUsage()
  const sorted = slices.toSorted((a, b) => a - b)
  return {
    megabytes: Math.round((maxRSS - memoryBefore) / 1024),
    heldMs: { p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0), max: Math.round(sorted.at(-1) ?? 0) },
  }
}

async function obey(order: Order): Promise<unknown> {
  if (order.kind === 'person') return server.createPerson()
  if (order.kind === 'book') return storeBook(server, order.book)
  if (order.kind === 'report') return report()
  slices = []
  memoryBefore = process.memoryUsage.rss() / 1024
  return null
}

process.on('message', async (order: Order) => process.send?.({ answer: await obey(order) }))
process.on('disconnect', () => process.exit())
process.send?.({ answer: server.baseUrl })
