/**
 * Measures waiting times while books are imported: `node bench/import-queue.ts PDFS [SHORT_PDFS]`. Requires qpdf, and
 * pdftotext for the second part. Creates books of 2,000 and 1,000 pages from the PDFs in the first folder, and starts a
 * server like `npm start`. Prints the time from the confirmation of an upload to the first page, the time for a small
 * book behind ten large ones, and the memory of the server and of its reading processes. For at most 100 PDFs under 20
 * pages in the second folder, prints the processor time of all reading processes relative to pdftotext, for books of
 * one account and for books of as many accounts.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createExtractor } from '../src/imports/extract/create-extractor.ts'
import { addFile, waitForJobEnd } from '../test/support/uploads.ts'
import { endedChildrenCpu } from './children-cpu.ts'
import { startImportServer, type ImportServer } from './import-queue-server.ts'
import { printLine } from './statistics.ts'

const execOptions = { maxBuffer: 1024 ** 3 }
const largeBooks = 10
const maxShortPages = 20
const maxShortFiles = 100

const pagesOf = (path: string) => Number(execFileSync('qpdf', ['--show-npages', path]).toString())

/** The PDFs of a folder whose pages qpdf can count, by name. */
async function listPdfs(directory: string): Promise<{ path: string; pages: number; bytes: number }[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.pdf')).toSorted()
  const files = names.map(async (name) => {
    const path = join(directory, name)
    try {
      return [{ path, pages: pagesOf(path), bytes: (await stat(path)).size }]
    } catch {
      return [] // damaged, or encrypted
    }
  })
  return (await Promise.all(files)).flat()
}

/** Creates a PDF with exactly this many pages by repeating those of `files`. */
function makePdf(files: readonly { path: string; pages: number }[], pages: number, target: string): string {
  const parts: string[] = []
  let left = pages
  while (left > 0) {
    for (const { path, pages: has } of files) {
      if (left === 0) break
      const taken = Math.min(left, has)
      parts.push(path, `1-${taken}`)
      left -= taken
    }
  }
  const { status, stderr } = spawnSync('qpdf', ['--warning-exit-0', '--empty', '--pages', ...parts, '--', target])
  if (status !== 0) throw new Error(`qpdf: ${stderr.toString()}`)
  return target
}

async function read(server: ImportServer, itemId: string): Promise<{ status: string; pages: unknown[] }> {
  const response = await fetch(`${server.baseUrl}/api/v1/items/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ items: [{ id: itemId, pages: '1' }] }),
  })
  const { items } = (await response.json()) as { items: { status: string; pages: unknown[] }[] }
  const [item] = items
  if (!item) throw new Error(`the book ${itemId} is not there`)
  return item
}

/** Seconds from now to the first page, and to the end of the import. */
async function timeToRead(server: ImportServer, itemId: string): Promise<{ first: number; ready: number }> {
  const since = performance.now()
  const seconds = () => (performance.now() - since) / 1000
  let first: number | null = null
  for (;;) {
    const { status, pages } = await read(server, itemId)
    if (pages.length > 0) first ??= seconds()
    if (status !== 'PROCESSING') return { first: first ?? Number.NaN, ready: seconds() }
    await delay(first === null ? 20 : 100)
  }
}

async function add(server: ImportServer, path: string): Promise<{ itemId: string; jobId: string }> {
  return addFile(server, server, { filename: 'book.pdf', bytes: await readFile(path) })
}

async function measureFirstPage(server: ImportServer, path: string, pages: number): Promise<void> {
  const before = server.memory()
  const { itemId } = await add(server, path)
  const { first, ready } = await timeToRead(server, itemId)
  const { child, server: peak } = server.peakMemory()
  printLine(
    `book of ${pages} pages: first page ${first.toFixed(2)} s after the confirmation, all of it ${ready.toFixed(1)} s`,
  )
  printLine(`  reading process ${child} MB at most, server ${before} → ${peak} MB at most (+${peak - before})`)
}

async function measureQueue(server: ImportServer, large: string, small: string): Promise<void> {
  const jobs: string[] = []
  for (let n = 0; n < largeBooks; n++) jobs.push((await add(server, large)).jobId)
  await delay(2_000)
  const { itemId } = await add(server, small)
  const { first, ready } = await timeToRead(server, itemId)
  printLine(
    `book of ${pagesOf(small)} pages behind ${largeBooks} of ${pagesOf(large)}: first page ${first.toFixed(2)} s, ready ${ready.toFixed(2)} s`,
  )
  const { child, server: peak } = server.peakMemory()
  printLine(`  reading process ${child} MB at most, server ${peak} MB at most`)
  for (const jobId of jobs) await cancel(server, jobId)
}

async function cancel(server: ImportServer, jobId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${server.key}` }
  await fetch(`${server.baseUrl}/api/v1/jobs/${jobId}/cancel`, { method: 'POST', headers })
  await waitForJobEnd(server, server, jobId)
}

/** The processor time of child processes during `work`, in seconds. */
async function childrenCpu(work: () => unknown): Promise<number> {
  const before = endedChildrenCpu()
  await work()
  return endedChildrenCpu() - before
}

async function readAll(paths: readonly string[], accountOf: (index: number) => string): Promise<void> {
  const extractor = createExtractor()
  extractor.warmUp('pdf')
  const sink = { onInfo: () => undefined, onPages: () => Promise.resolve() }
  for (const [index, path] of paths.entries()) {
    // The cost of refused files is included.
    await extractor.extract({ path, sourceType: 'pdf', accountId: accountOf(index) }, sink).catch(() => undefined)
  }
  await extractor.close()
}

async function measureShortBooks(directory: string): Promise<void> {
  const short = (await listPdfs(directory)).filter(({ pages }) => pages < maxShortPages).slice(0, maxShortFiles)
  const paths = short.map(({ path }) => path)
  const reference = await childrenCpu(() => paths.forEach((path) => spawnSync('pdftotext', [path, '-'], execOptions)))
  printLine(`${paths.length} books under ${maxShortPages} pages: pdftotext ${reference.toFixed(1)} s of processor time`)
  const owners = { 'one account': () => 'one', 'as many accounts': (index: number) => `account ${index}` }
  for (const [name, accountOf] of Object.entries(owners)) {
    const own = await childrenCpu(() => readAll(paths, accountOf))
    printLine(`  of ${name}: ${own.toFixed(1)} s in all reading processes, ${(reference / own).toFixed(2)} × pdftotext`)
  }
}

const [directory, shortDirectory] = process.argv.slice(2)
if (directory === undefined) throw new Error('usage: node bench/import-queue.ts PDFS [SHORT_PDFS]')
const files = await listPdfs(directory)
const small = files.filter(({ pages }) => pages >= 30).toSorted((a, b) => a.pages - b.pages)[0]
if (!small) throw new Error(`${directory} has no PDF of 30 pages or more`)
const work = await mkdtemp(join(tmpdir(), 'lectern-bench-'))
try {
  const large = makePdf(files, 2000, join(work, 'large.pdf'))
  const server = await startImportServer(join(work, 'data'))
  try {
    await measureFirstPage(server, makePdf(files, 1000, join(work, 'middle.pdf')), 1000)
    await measureFirstPage(server, large, 2000)
    await measureQueue(server, large, small.path)
  } finally {
    await server.stop()
  }
  if (shortDirectory !== undefined) await measureShortBooks(shortDirectory)
} finally {
  await rm(work, { recursive: true, force: true })
}
