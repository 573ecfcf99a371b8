// Many concurrent agents, each with its own library and a second between its calls: `node bench/agents.ts [SECONDS]`.
// First 200 agents, then 100, then the same 100 together with one that calls fifty times as often as its limit allows.
// Prints their latencies.
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent as HttpAgent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { seedReaders, type BenchReader } from './seed-readers.ts'
import { callTool, type BenchCall } from './agents-call.ts'
import type { ServerKind } from './target.ts'

const seconds = Number(process.argv[2] ?? 30)
const serverKind: ServerKind = 'lecternWithLimits'
const port = 4201
const baseUrl = `http://127.0.0.1:${port}`

interface Usage extends NodeJS.CpuUsage {
  rss: number
}

async function start(directory: string): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port), LECTERN_BASE_URL: baseUrl, LECTERN_DATA_DIR: directory }
  const child = fork(new URL('target.ts', import.meta.url), [serverKind], { env })
  await new Promise((resolve) => child.once('message', resolve))
  return child
}

function usageOf(child: ChildProcess): Promise<Usage> {
  const usage = new Promise<Usage>((resolve) => child.once('message', (message) => resolve(message as Usage)))
  child.send('usage')
  return usage
}

/** Latencies of calls by kind, ms, and the outcomes of calls that failed. */
interface CallStatistics {
  times: Map<string, number[]>
  refused: Map<string, number>
}

const newStatistics = (): CallStatistics => ({ times: new Map(), refused: new Map() })

async function timeCall({ times, refused }: CallStatistics, agent: HttpAgent, call: BenchCall): Promise<void> {
  const from = performance.now()
  const outcome = await callTool(baseUrl, agent, call)
  if (outcome === 'ok') times.set(call.tool, [...(times.get(call.tool) ?? []), performance.now() - from])
  else refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
}

/** The next call of an agent: 30 % list, 50 % read five books, 10 % search, 10 % write. */
function nextCall({ key, ids, words }: BenchReader): BenchCall {
  const choice = Math.random()
  const page = 1 + Math.floor(Math.random() * 8)
  const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T
  if (choice < 0.3) return { key, tool: 'list_items', args: {} }
  if (choice < 0.8) {
    return {
      key,
      tool: 'read_items',
      args: { items: ids.slice(0, 5).map((id) => ({ id, pages: `${page}-${page + 2}` })) },
    }
  }
  if (choice < 0.9) return { key, tool: 'search_items', args: { query: pickRandom(words) } }
  return {
    key,
    tool: 'put_item_page',
    args: { id: pickRandom(ids), pageNum: page, content: `# Page ${page}\n\n${pickRandom(words)}\n` },
  }
}

async function runSteadyAgents(readers: readonly BenchReader[], ms = seconds * 1000): Promise<CallStatistics> {
  const statistics = newStatistics()
  const end = performance.now() + ms
  await Promise.all(readers.map((reader) => runSteadyAgent(reader, statistics, end)))
  return statistics
}

async function runSteadyAgent(reader: BenchReader, statistics: CallStatistics, end: number): Promise<void> {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  await delay(Math.random() * 1000)
  while (performance.now() < end) {
    await timeCall(statistics, agent, nextCall(reader))
    await delay(1000)
  }
  agent.destroy()
}

/** Makes fifty times as many calls as the limit of 100 reading calls per minute allows. */
async function runGreedyAgent(reader: BenchReader, end: number): Promise<CallStatistics> {
  const statistics = newStatistics()
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 64 })
  const calls: Promise<void>[] = []
  for (let n = 0; performance.now() < end; n++) {
    calls.push(timeCall(statistics, agent, { key: reader.key, tool: 'list_items', args: {} }))
    await delay(60_000 / 5000)
  }
  await Promise.all(calls)
  agent.destroy()
  return statistics
}

const percentileOf = (sorted: readonly number[], share: number) =>
  (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)

function print(name: string, { times, refused }: CallStatistics): void {
  const rows = [...times].toSorted(([a], [b]) => a.localeCompare(b))
  for (const [tool, ms] of [...rows, ['all', rows.flatMap(([, each]) => each)] as const]) {
    const sorted = [...ms].toSorted((a, b) => a - b)
    const figures = [
      String(sorted.length),
      percentileOf(sorted, 0.5),
      percentileOf(sorted, 0.99),
      percentileOf(sorted, 0.9999),
    ]
    console.log([`${name}: ${tool}`.padEnd(50), ...figures.map((figure) => figure.padStart(9))].join(''))
  }
  for (const [outcome, count] of refused) console.log(`${name}: ${count} × ${outcome}`)
}

const directory = await mkdtemp(join(tmpdir(), 'lectern-bench-'))
const server = await start(directory)
try {
  const readers = await seedReaders(directory, 200)
  console.log(
    `${seconds} s each\n\n${''.padEnd(50)}${['calls', 'p50 ms', 'p99 ms', 'worst'].map((head) => head.padStart(9)).join('')}`,
  )
  print('200 agents, the first seconds', await runSteadyAgents(readers, 5000))
  const before = await usageOf(server)
  print('200 agents', await runSteadyAgents(readers))
  const half = await usageOf(server)
  print('100 agents', await runSteadyAgents(readers.slice(0, 100)))
  const end = performance.now() + seconds * 1000
  const [steady, greedy] = await Promise.all([
    runSteadyAgents(readers.slice(0, 100)),
    runGreedyAgent(readers[150] as BenchReader, end),
  ])
  print('100 agents together with a greedy one', steady)
  print('the greedy one', greedy)
  const after = await usageOf(server)
  const cpu = (half.user + half.system - before.user - before.system) / 1e6 / seconds
  console.log(
    `\nthe server with 200 agents: ${cpu.toFixed(2)} of a core; resident ${[before, half, after].map(({ rss }) => `${Math.round(rss / 1e6)} MB`).join(', ')} before, after and at the end`,
  )
} finally {
  server.disconnect()
  await rm(directory, { recursive: true, force: true })
}
