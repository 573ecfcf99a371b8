// The cost of requests to a small library over HTTP with an API key: CPU time of the server process by thread, and
// commands of the store. Usage: node bench/request-cost.ts [REQUESTS]
import { Agent } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTarget, sendOnce, toolRequest, type BenchRequest, type Target } from './growth-calls.ts'
import { growTo, openLibrary, type Library } from './growth-library.ts'
import { printTable } from './statistics.ts'

const requests = Number(process.argv[2] ?? 2000)
const books = 20

function callsOf({ ids }: Library): [string, BenchRequest][] {
  const [id = ''] = ids
  const get = (path: string): BenchRequest => ({ method: 'GET', path })
  const page = { items: [{ id, pages: '2' }] }
  return [
    ['GET /healthz', get('/healthz')],
    ['GET /auth/whoami', get('/api/v1/auth/whoami')],
    ['GET /items?limit=10', get('/api/v1/items?limit=10')],
    ['POST /items/batch, a page', { method: 'POST', path: '/api/v1/items/batch', body: JSON.stringify(page) }],
    ['GET /items/search', get('/api/v1/items/search?limit=10&query=nobody')],
    ['list_items over MCP', toolRequest('list_items', { limit: 10 })],
    ['read_items over MCP, a page', toolRequest('read_items', page)],
  ]
}

type Send = (request: BenchRequest) => Promise<void>

async function withTarget<T>(
  { directory, key }: Library,
  counts: boolean,
  run: (target: Target, send: Send) => Promise<T>,
) {
  const target = await openTarget(directory, { counts })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    return await run(target, (request) => sendOnce({ agent, key, port: target.port }, request))
  } finally {
    agent.destroy()
    await target.stop()
  }
}

/** Commands of the store for a request other than the first, by name. */
async function countCommands(library: Library): Promise<Map<string, string>> {
  return withTarget(library, true, async (target, send) => {
    const found = new Map<string, string>()
    for (const [name, request] of callsOf(library)) {
      for (let nth = 0; nth < 3; nth++) await send(request)
      await target.commands()
      for (let nth = 0; nth < 10; nth++) await send(request)
      const sum = Map.groupBy(await target.commands(), (command) => command)
      found.set(name, [...sum].map(([command, { length }]) => `${length / 10} ${command}`).join(', '))
    }
    return found
  })
}

const directory = await mkdtemp(join(tmpdir(), 'lectern-requests-'))
try {
  const library = await openLibrary(directory)
  await growTo(library, 'own', books)
  const commands = await countCommands(library)
  await withTarget(library, false, async (target, send) => {
    const rows = [['ms of CPU time a request', 'all', 'first thread', 'store', 'others', 'commands of the store']]
    for (const [name, request] of callsOf(library)) {
      for (let nth = 0; nth < requests / 2; nth++) await send(request)
      const [cpu, before] = [await target.cpu(), await target.threads()]
      for (let nth = 0; nth < requests; nth++) await send(request)
      const each = (value: number) => (value / 1000 / requests).toFixed(2)
      const [after, all] = [await target.threads(), (await target.cpu()) - cpu]
      const [main, store] = [after.main - before.main, after.store - before.store]
      rows.push([name, each(all), each(main), each(store), each(all - main - store), commands.get(name) ?? ''])
    }
    printTable(rows)
  })
} finally {
  await rm(directory, { recursive: true, force: true })
}
