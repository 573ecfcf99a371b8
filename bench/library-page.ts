// The cost of the library page with 100, 10,000 and 100,000 books: time to the first byte and bytes sent, each with the
// slope of their logarithms. Usage: node bench/library-page.ts [MOST]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/app/config.ts'
import { openServices } from '../src/app/services.ts'
import { ownAccess } from '../src/books/access.ts'
import { formatCursor, placeBook, type LibrarySort } from '../src/library/library-order.ts'
import { freePort } from '../test/support/server.ts'
import { growTo, openLibrary, type Library } from './growth-library.ts'
import { logLogSlope, percentiles, printLine, printTable } from './statistics.ts'

const maxBooks = Number(process.argv[2] ?? 100_000)
const sizes = [100, 10_000, 100_000].filter((size) => size <= maxBooks)
const warmUps = 5
const visits = 20
const target = 0.1

interface Visit {
  /** Time to the first byte of the response, ms. */
  firstByteMs: number
  bytes: number
}

/** The cookies and paths that a browser needs for the library. */
interface Browser {
  cookie: string
  paths: Map<string, string>
}

const rows = new Map<string, Map<number, Visit>>()
const directory = await mkdtemp(join(tmpdir(), 'lectern-library-page-'))
try {
  const library = await openLibrary(directory)
  for (const size of sizes) {
    await growTo(library, 'own', size)
    const browser = await signIn(library)
    await withServer(directory, async (port) => {
      for (const [name, path] of browser.paths) {
        const found = await visitOften(port, path, browser.cookie)
        rows.set(name, (rows.get(name) ?? new Map<number, Visit>()).set(size, found))
      }
    })
    printLine(`${size} books measured`)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
for (const [field, title] of [
  ['firstByteMs', 'ms to the first byte (median)'],
  ['bytes', 'bytes of the page'],
] as const) {
  const table = [[title, ...sizes.map(String), 'slope', `≤ ${target}`]]
  for (const [name, found] of rows) {
    const slope = logLogSlope([...found].map(([size, visit]) => [size, visit[field]] as const))
    const cells = sizes.map((size) => (found.get(size)?.[field] ?? Number.NaN).toFixed(field === 'bytes' ? 0 : 1))
    table.push([name, ...cells, slope.toFixed(3), slope <= target ? 'yes' : 'no'])
  }
  printTable(table)
}

/**
 * Creates a session of the account, and selects the pages to load: the first ones, some from the middle, and filters.
 */
async function signIn({ directory: dataDirectory, ids }: Library): Promise<Browser> {
  const open = await openServices(readConfig({ LECTERN_DATA_DIR: dataDirectory, LECTERN_LOG_LEVEL: 'silent' }))
  try {
    const { services } = open
    const [middle] = await services.books.byIds([ids[Math.floor(ids.length / 2)] ?? ''])
    if (!middle) throw new Error('The library has no books')
    // Computes the sums of a library in advance, because the seeding has removed them.
    await Promise.all([services.books.libraryCounts(middle.ownerId), services.placements.countByShelf(middle.ownerId)])
    const { token } = await services.webSessions.create(middle.ownerId, { userAgent: null, at: services.now() })
    const after = (sort: LibrarySort) => formatCursor(sort, placeBook({ ...middle, access: ownAccess }, sort).position)
    const paths = new Map<string, string>()
    for (const sort of ['added', 'title', 'author', 'read'] as const) {
      paths.set(`by ${sort}`, `/library?sort=${sort}`)
      paths.set(`by ${sort}, from the middle`, `/library?sort=${sort}&after=${after(sort)}`)
    }
    paths.set('one shelf of ten', '/library?sort=added&shelf=shelf-0')
    paths.set('needing attention', '/library?sort=added&show=attention')
    return { cookie: `lectern=${token}`, paths }
  } finally {
    await open.close()
  }
}

async function withServer(dataDirectory: string, run: (port: number) => Promise<void>): Promise<void> {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_BASE_URL: `http://127.0.0.1:${port}`,
    LECTERN_DATA_DIR: dataDirectory,
    LECTERN_ROLE: 'web',
  }
  const server = fork(new URL('growth-server.ts', import.meta.url), { env })
  const [message] = (await Promise.race([once(server, 'message'), once(server, 'exit')])) as [unknown]
  if (message !== 'ready') throw new Error('The server did not start')
  try {
    await run(port)
  } finally {
    const ended = once(server, 'exit')
    server.disconnect()
    await ended
  }
}

async function visitOften(port: number, path: string, cookie: string): Promise<Visit> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (let nth = 0; nth < warmUps; nth++) await visitOnce({ agent, port, path, cookie })
    const all: Visit[] = []
    for (let nth = 0; nth < visits; nth++) all.push(await visitOnce({ agent, port, path, cookie }))
    return { firstByteMs: percentiles(all.map(({ firstByteMs }) => firstByteMs)).p50, bytes: all[0]?.bytes ?? 0 }
  } finally {
    agent.destroy()
  }
}

interface VisitOptions {
  agent: Agent
  port: number
  path: string
  cookie: string
}

function visitOnce({ agent, port, path, cookie }: VisitOptions): Promise<Visit> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const call = request({ agent, port, host: '127.0.0.1', path, headers: { Cookie: cookie } }, (answer) => {
      const firstByteMs = performance.now() - started
      let bytes = 0
      answer.on('data', (part: Buffer) => (bytes += part.length))
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ firstByteMs, bytes })
        else reject(new Error(`${path}: ${answer.statusCode}`))
      })
    })
    call.on('error', reject)
    call.end()
  })
}
