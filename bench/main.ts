// Calls per second and CPU time per call of the hot paths, compared with bare servers that send the same bytes in the
// same run: `node bench/main.ts [SECONDS]`. Prints a table and, below it, the target of each ratio.
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, type LoadResult, type LoadRequest } from './load.ts'
import { mcpMessage } from './mcp-message.ts'
import { seedLibrary } from './seed-library.ts'
import type { ServerKind } from './target.ts'

const seconds = Number(process.argv[2] ?? 5)
const connections = 64
const directory = await mkdtemp(join(tmpdir(), 'lectern-bench-'))
const children: ChildProcess[] = []

interface Target {
  url: string
  child: ChildProcess
}

interface TargetResult extends LoadResult {
  /** CPU time of the server per call, microseconds. */
  cpu: number
}

async function start(kind: ServerKind): Promise<Target> {
  const port = 4101 + children.length
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_BASE_URL: url,
    LECTERN_DATA_DIR: directory,
    LECTERN_PLANS_FILE: '',
  }
  const child = fork(new URL('target.ts', import.meta.url), [kind], { env })
  children.push(child)
  await new Promise((resolve) => child.once('message', resolve))
  return { url, child }
}

async function cpuOf({ child }: Target): Promise<number> {
  const usage = new Promise<NodeJS.CpuUsage>((resolve) =>
    child.once('message', (message) => resolve(message as NodeJS.CpuUsage)),
  )
  child.send('cpu')
  const { user, system } = await usage
  return user + system
}

async function measure(target: Target, { path, ...template }: RequestTemplate): Promise<TargetResult> {
  const request = { ...template, url: target.url + path }
  await load(request, { connections, ms: 1500 })
  const before = await cpuOf(target)
  const rate = await load(request, { connections, ms: seconds * 1000 })
  const calls = rate.perSecond * seconds
  return { ...rate, cpu: ((await cpuOf(target)) - before) / calls }
}

interface RequestTemplate extends Omit<LoadRequest, 'url'> {
  path: string
}

const mcp = (key: string, method: string, params: Record<string, unknown>): RequestTemplate => ({
  path: '/api/v1/mcp',
  ...mcpMessage(key, method, params),
})

async function answerOf({ url }: Target, { path, headers, body }: RequestTemplate): Promise<string> {
  const response = await fetch(url + path, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.text()
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(46) : cell.padStart(12))).join(''))
}

function printRow(
  name: string,
  { perSecond, cpu, p50, p99, bytes }: TargetResult,
  ratios: readonly string[] = [],
): void {
  print([name, perSecond.toFixed(0), cpu.toFixed(0), p50.toFixed(1), p99.toFixed(1), String(bytes), ...ratios])
}

/** The baseline of a call, and the target ratio. */
interface Comparison {
  kind: ServerKind
  label: string
  targetRatio?: string
}

async function compareTargets(
  lectern: Target,
  { name, request: template, with: others }: { name: string; request: RequestTemplate; with: Comparison[] },
) {
  const answer = await answerOf(lectern, template)
  const ours = await measure(lectern, template)
  printRow(name, ours)
  for (const { kind, label, targetRatio = '' } of others) {
    const target = await start(kind)
    await fetch(target.url, { method: 'PUT', body: answer })
    const result = await measure(target, template)
    target.child.disconnect()
    const ratios = [`${(ours.perSecond / result.perSecond).toFixed(2)} ×`, `${(ours.cpu / result.cpu).toFixed(2)} ×`]
    printRow(`  ${label}`, result, [...ratios, targetRatio])
  }
}

try {
  const lectern = await start('lectern')
  const { key, ids } = await seedLibrary(directory)
  const wanted = { items: ids.map((id) => ({ id, pages: '2-4' })) }
  const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const hono: Comparison = { kind: 'hono', label: 'bare Hono route' }
  const prepared: Comparison = { kind: 'sdkPrepared', label: 'SDK, low-level server, all prepared' }
  console.log(`${connections} connections, ${seconds} s each; ratios are Lectern's to the row's\n`)
  print(['', 'calls/s', 'CPU µs', 'p50 ms', 'p99 ms', 'bytes', 'calls/s', 'CPU', 'target'])
  await compareTargets(lectern, {
    name: 'tools/list',
    request: mcp(key, 'tools/list', {}),
    with: [{ kind: 'sdkTools', label: 'SDK, the same tools', targetRatio: '6 × calls' }, prepared, hono],
  })
  await compareTargets(lectern, {
    name: 'tools/call read_items (5 books × 3 pages)',
    request: mcp(key, 'tools/call', { name: 'read_items', arguments: wanted }),
    with: [{ kind: 'sdk', label: 'SDK, one tool that echoes', targetRatio: '0.6 × CPU' }, prepared, hono],
  })
  await compareTargets(lectern, {
    name: 'POST /items/batch (5 books × 3 pages)',
    request: { path: '/api/v1/items/batch', headers: json, body: JSON.stringify(wanted) },
    with: [{ ...hono, targetRatio: '0.4 × calls' }],
  })
} finally {
  for (const child of children) if (child.connected) child.disconnect()
  await rm(directory, { recursive: true, force: true })
}
