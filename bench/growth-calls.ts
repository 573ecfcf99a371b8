import { fork, type ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { freePort } from '../test/support/server.ts'
import type { Library } from './growth-library.ts'
import { percentiles } from './statistics.ts'

/** A measured call. */
export interface Call {
  name: string
  /** Returns the `nth` request of a run; cursors have been looked up before. */
  request: (iteration: number) => BenchRequest
  /** Size of a library, in books, from which the call is skipped. */
  maxBooks?: number
  /** Number of calls, for expensive ones. */
  calls?: number
}

export interface BenchRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Median values, in microseconds. */
export interface CallTimings {
  cpu: number
  wall: number
}

const callsPerBatch = 10
const batches = 20

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A call of a tool over MCP. */
export function toolRequest(name: string, args: Record<string, unknown> = {}): BenchRequest {
  const params = { name, arguments: args, _meta: meta }
  return {
    method: 'POST',
    path: '/api/v1/mcp',
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

/** The calls whose cost must not grow, and the complete list over REST, whose cost has to grow. */
export function createCalls({ ids, shelf }: Library): Call[] {
  const five = (nth: number) => ids.filter((_, at) => (at + nth) % 2 === 0).map((id) => ({ id, pages: '1-3' }))
  const get = (path: string) => () => ({ method: 'GET' as const, path })
  return [
    {
      name: 'POST /items/batch, 5 × 3 pages',
      request: (nth) => ({ method: 'POST', path: '/api/v1/items/batch', body: JSON.stringify({ items: five(nth) }) }),
    },
    { name: 'list_items, the first 10', request: () => toolRequest('list_items', { limit: 10 }) },
    { name: 'list_items, 10 from the middle', request: () => toolRequest('list_items', { limit: 10, cursor: ids[5] }) },
    { name: 'list_items, 10 in full', request: () => toolRequest('list_items', { limit: 10, detail: 'detailed' }) },
    { name: 'GET /items?shelf=, 10 books', request: get(`/api/v1/items?shelf=${shelf}`) },
    { name: 'library_summary', request: () => toolRequest('library_summary') },
    { name: 'GET /shelves', request: get('/api/v1/shelves') },
    { name: 'GET /auth/whoami', request: get('/api/v1/auth/whoami') },
    { name: 'GET /items, the whole list', request: get('/api/v1/items'), calls: 20, maxBooks: 10_000 },
  ]
}

/**
 * Starts a server on the library, makes each call some hundred times on one connection after warming up, and stops it.
 */
export async function measure({ directory, key }: Library, calls: readonly Call[]): Promise<Map<string, CallTimings>> {
  const target = await openTarget(directory)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const figures = new Map<string, CallTimings>()
    for (const call of calls) {
      const send = (nth: number) => sendOnce({ agent, key, port: target.port }, call.request(nth))
      figures.set(call.name, await repeat(target, send, call.calls ?? callsPerBatch * batches))
    }
    return figures
  } finally {
    agent.destroy()
    await target.stop()
  }
}

async function repeat(target: Target, send: (nth: number) => Promise<void>, calls: number): Promise<CallTimings> {
  const batchSize = Math.min(callsPerBatch, calls / 10)
  for (let nth = 0; nth < calls; nth++) await send(nth)
  const [cpu, wall]: [number[], number[]] = [[], []]
  while (wall.length < calls) {
    const before = await target.cpu()
    for (let nth = 0; nth < batchSize; nth++) {
      const started = performance.now()
      await send(nth)
      wall.push((performance.now() - started) * 1000)
    }
    cpu.push(((await target.cpu()) - before) / batchSize)
  }
  return { cpu: percentiles(cpu).p50, wall: percentiles(wall).p50 }
}

export interface Target {
  port: number
  /** CPU time used by the process, microseconds. */
  cpu(): Promise<number>
  /** CPU time of its main thread and of the embedded store's thread, microseconds, as reported by Linux. */
  threads(): Promise<ThreadTimes>
  /** Commands that the store has received since the last call, such as `find books`; empty unless they are counted. */
  commands(): Promise<string[]>
  stop(): Promise<void>
}

interface ThreadTimes {
  main: number
  store: number
}

/**
 * Starts a server on the library in a separate process; `counts`: the server counts the commands of its store, which
 * takes time.
 */
export async function openTarget(directory: string, { counts = false } = {}): Promise<Target> {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_BASE_URL: `http://127.0.0.1:${port}`,
    LECTERN_DATA_DIR: directory,
    LECTERN_ROLE: 'web',
    LECTERN_BENCH_COUNT: counts ? '1' : '',
  }
  const child = fork(new URL('growth-server.ts', import.meta.url), { env })
  await answerOf<string>(child)
  return {
    port,
    async cpu() {
      const answer = answerOf<NodeJS.CpuUsage>(child)
      child.send('cpu')
      const { user, system } = await answer
      return user + system
    },
    threads: () => threadTimes(child.pid),
    commands() {
      const answer = answerOf<string[]>(child)
      child.send('commands')
      return answer
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

async function threadTimes(pid: number | undefined): Promise<ThreadTimes> {
  const times = { main: 0, store: 0 }
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const from = `/proc/${pid}/task/${thread}`
    const name = (await readFile(`${from}/comm`, 'utf8')).trim()
    const micros = Number((await readFile(`${from}/schedstat`, 'utf8')).split(' ')[0]) / 1000
    if (Number(thread) === pid) times.main += micros
    else if (name === 'store') times.store += micros
  }
  return times
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`the server ended with ${code}`))
    child.once('exit', failed)
    child.once('message', (message) => {
      child.off('exit', failed)
      resolve(message as T)
    })
  })
}

export async function sendOnce(
  { agent, key, port }: { agent: Agent; key: string; port: number },
  { method, path, headers, body }: BenchRequest,
): Promise<void> {
  const sent = {
    Authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const call = request({ agent, port, host: '127.0.0.1', method, path, headers: sent }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        const passed = answer.statusCode === 200 && !text.slice(0, 2000).includes('"isError":true')
        if (passed) resolve()
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`))
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}
