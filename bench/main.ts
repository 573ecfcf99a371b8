// Calls per second and CPU per call of the hot paths, beside a bare Hono route and the bare SDK that send the same bytes.
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, type Rate, type Shot } from './load.ts'

const seconds = Number(process.argv[2] ?? 4)
const connections = 16
const directory = await mkdtemp(join(tmpdir(), 'lectern-bench-'))

interface Target {
  url: string
  child: ChildProcess
}

interface Result extends Rate {
  /** CPU time of the server per call, microseconds. */
  cpu: number
}

async function start(kind: string, port: number): Promise<Target> {
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_BASE_URL: url,
    LECTERN_DATA_DIR: directory,
    LECTERN_PLANS_FILE: '',
  }
  const child = fork(new URL('target.ts', import.meta.url), [kind], { env })
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

async function measure(target: Target, shot: Omit<Shot, 'url'>, path: string): Promise<Result> {
  const aimed = { ...shot, url: target.url + path }
  await load(aimed, { connections, ms: 1500 })
  const before = await cpuOf(target)
  const rate = await load(aimed, { connections, ms: seconds * 1000 })
  const calls = rate.perSecond * seconds
  return { ...rate, cpu: ((await cpuOf(target)) - before) / calls }
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function mcp(key: string, method: string, params: Record<string, unknown>): Omit<Shot, 'url'> {
  return {
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  }
}

async function answerOf(target: Target, shot: Omit<Shot, 'url'>, path: string): Promise<string> {
  const response = await fetch(target.url + path, { method: 'POST', headers: shot.headers, body: shot.body })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.text()
}

function print(name: string, ours: Result, bare: [string, Result][]): void {
  const row = (label: string, { perSecond, cpu, p50, p99, bytes }: Result, ratio: string) =>
    console.log(
      `${label.padEnd(34)} ${perSecond.toFixed(0).padStart(7)}/s ${cpu.toFixed(0).padStart(6)} µs CPU  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  ${bytes} bytes${ratio}`,
    )
  row(name, ours, '')
  for (const [label, result] of bare) {
    const throughput = (ours.perSecond / result.perSecond).toFixed(2)
    row(`  ${label}`, result, `  → throughput × ${throughput}, CPU × ${(ours.cpu / result.cpu).toFixed(2)}`)
  }
}

const lectern = await start('lectern', 4101)
const hono = await start('hono', 4102)
const sdk = await start('sdk', 4103)
const { prepare } = await import('./prepare.ts')
const { key, ids } = await prepare(directory)
const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }

const list = mcp(key, 'tools/list', {})
const wanted = { items: ids.map((id) => ({ id, pages: '2-4' })) }
const read = mcp(key, 'tools/call', { name: 'read_items', arguments: wanted })
const batch = { headers: json, body: JSON.stringify(wanted) }

try {
  for (const [name, shot, path] of [
    ['tools/list', list, '/api/v1/mcp'],
    ['read_items (5 books × 3 pages)', read, '/api/v1/mcp'],
    ['POST /items/batch (5 × 3)', batch, '/api/v1/items/batch'],
  ] as const) {
    const answer = await answerOf(lectern, shot, path)
    await fetch(`${hono.url}/answer`, { method: 'PUT', body: answer })
    const ours = await measure(lectern, shot, path)
    const bare: [string, Result][] = [['bare Hono, same bytes', await measure(hono, shot, '/answer')]]
    if (path.endsWith('/mcp')) {
      const { result } = JSON.parse(answer) as { result: object }
      await fetch(sdk.url, { method: 'PUT', body: JSON.stringify(result) })
      bare.push(['bare SDK, same bytes', await measure(sdk, shot, '/')])
    }
    print(name, ours, bare)
  }
} finally {
  for (const { child } of [lectern, hono, sdk]) child.disconnect()
  await rm(directory, { recursive: true, force: true })
}
