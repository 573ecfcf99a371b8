import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { mcp, rest, send, transports, type ToolResponse } from '../support/transports.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { startFlakyStoreServer, type FlakyStoreServer } from '../support/flaky-store-server.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { startProcess } from '../support/server-process.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { openStoreProxy, type StoreProxy, type ProxyMode } from '../support/store-proxy.ts'

let lossy: FlakyStoreServer
let server: TestServer
let proxy: StoreProxy

beforeAll(async () => {
  const plans = await plansEnvironment({ tier: 'COUNTED', itemLimit: 10_000, monthlyReadLimit: 100_000 })
  lossy = await startFlakyStoreServer({ LECTERN_ROLE: 'web', ...plans })
  ;({ server, proxy } = lossy)
})
afterAll(() => lossy.close())

/** Calls of all kinds, by name. */
function callsOf(person: Person, id: string): Record<string, () => Promise<ToolResponse>> {
  const items = [{ id, pages: '1' }]
  return {
    'a read over REST': () => rest.call(server, person, 'read_items', { items }),
    'a read over MCP': () => mcp.call(server, person, 'read_items', { items }),
    'a list': () => rest.call(server, person, 'list_items'),
    'a write over REST': () => rest.call(server, person, 'create_markdown_item', { title: 'A', content: 'b' }),
    'a write over MCP': () => mcp.call(server, person, 'create_markdown_item', { title: 'A', content: 'b' }),
    readiness: () => send(server, null, { method: 'GET', path: '/readyz' }),
  }
}

/** Repeats a set of calls until all of them succeed. */
async function allPass(calls: Record<string, () => Promise<ToolResponse>>): Promise<void> {
  for (;;) {
    const answers = await Promise.all(Object.values(calls).map((call) => call()))
    if (answers.every(({ ok }) => ok)) return
    await delay(100)
  }
}

test.for<ProxyMode>(['refused', 'reset', 'stalled'])(
  'while the store is %s each call is refused in time, and passes again by itself',
  { timeout: 60_000 },
  async (way) => {
    const person = await server.createPerson({ plan: 'COUNTED' })
    const calls = callsOf(person, await makeBook(server, person, { content: markdownPages(5) }))
    await allPass(calls)
    let longest = 0
    const timed = async (call: () => Promise<ToolResponse>) => {
      const from = performance.now()
      const answer = await call()
      longest = Math.max(longest, performance.now() - from)
      return answer
    }
    await proxy.setMode(way)
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Object.values(calls).map(timed))
      for (const [index, name] of Object.keys(calls).entries()) {
        const { status, body, headers } = answers[index] as ToolResponse
        expect(status, name).toBe(503)
        if (name === 'readiness') continue
        expect(body, name).toMatchObject({ code: 'UNAVAILABLE', requestId: expect.any(String) })
        expect(Number(headers.get('retry-after')), name).toBeGreaterThan(0)
      }
      expect((await send(server, null, { method: 'GET', path: '/healthz' })).status).toBe(200)
    }
    await proxy.setMode('pass')
    const found = performance.now()
    await allPass(calls)
    const back = performance.now() - found
    console.log(`store ${way}: refused within ${Math.round(longest)} ms, back after ${Math.round(back)} ms`)
  },
)

test.for(transports)(
  'a store that stalls during a write of several documents is reported as unavailable over %s',
  async ([name, transport]) => {
    const person = await server.createPerson({ plan: 'COUNTED' })
    const itemIds = [await makeBook(server, person, { content: 'text' })]
    const { body: shelf } = await rest.call(server, person, 'create_shelf', { name: 'Shelf' })
    await rest.call(server, person, 'add_to_shelf', { shelf: shelf.id, itemIds })
    const remove = () => transport.call(server, person, 'remove_from_shelf', { shelf: shelf.id, itemIds })
    // The driver does not repeat such a write by itself.
    proxy.stallAt('update placements')
    const answer = await remove()
    await proxy.setMode('pass')
    expectRefusal(answer, name, { status: 503, code: 'UNAVAILABLE', message: /unavailable/ })
    await expect.poll(async () => (await remove()).ok).toBe(true)
  },
)

test(
  'a call with an idempotency key that was interrupted is completed by its repeat',
  { timeout: 60_000 },
  async () => {
    const person = await server.createPerson({ plan: 'COUNTED' })
    const create = (title: string) =>
      send(server, person.key, {
        method: 'POST',
        path: '/api/v1/items/markdown',
        body: { title, content: '# One\n' },
        headers: { 'Idempotency-Key': title },
      })
    const brokenOff = async (title: string): Promise<boolean> => {
      const { writes } = proxy.loseReply(Infinity)
      const answer = create(title)
      while (!writes.includes('insert idempotency')) await new Promise(setImmediate)
      await proxy.setMode('refused')
      const { status } = await answer
      await proxy.setMode('pass')
      return status === 503
    }
    let n = 1
    while (!(await brokenOff(`book-${n}`))) n += 1
    // This is sooner than the time after which the first call would count as dead.
    const again = async () => (await create(`book-${n}`)).status
    await expect.poll(again, { timeout: 20_000 }).toBe(201)
    const { body } = await rest.call(server, person, 'list_items')
    expect(body.items).toHaveLength(n)
  },
)

test(
  'a worker logs the beginning and the end of an outage of its store in one line each',
  { timeout: 60_000 },
  async () => {
    const link = await openStoreProxy(lossy.storeUrl)
    onTestFinished(() => link.close())
    const directory = await mkdtemp(join(tmpdir(), 'lectern-outage-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const worker = await startProcess(directory, { LECTERN_MONGODB_URL: link.url, LECTERN_ROLE: 'worker' })
    const linesWith = (text: string) =>
      worker
        .output()
        .split('\n')
        .filter((line) => line.includes(text))
    await link.setMode('refused')
    await expect.poll(() => linesWith('the database does not answer'), { timeout: 10_000 }).toHaveLength(1)
    // Several looks for jobs fail during this time.
    await delay(6000)
    await link.setMode('pass')
    await expect.poll(() => linesWith('the database answers again'), { timeout: 10_000 }).toHaveLength(1)
    expect(linesWith('the database does not answer')).toHaveLength(1)
    expect(linesWith('queue error')).toEqual([])
    worker.child.kill('SIGTERM')
    await worker.exited
    expect(linesWith('the database does not answer')).toHaveLength(1)
  },
)

test('a server that starts before its store waits for it', { timeout: 30_000 }, async () => {
  const late = await openStoreProxy(lossy.storeUrl)
  onTestFinished(() => late.close())
  await late.setMode('refused')
  const started = startTestServer({ LECTERN_MONGODB_URL: late.url, LECTERN_ROLE: 'web' })
  await delay(2500)
  await late.setMode('pass')
  const { running, baseUrl } = await started
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200)
  await running.stop()
})

test(
  'with an unreliable connection to the store, nothing is lost, created twice or counted twice',
  { timeout: 120_000 },
  async () => {
    const person = await server.createPerson({ plan: 'COUNTED' })
    const book = await makeBook(server, person, { title: 'Grows', content: markdownPages(1) })
    const before = await readsUsed(server, person)
    const link = { flapping: true }
    const ways: ProxyMode[] = ['reset', 'pass', 'refused', 'pass', 'stalled', 'pass']
    const flaps = async () => {
      for (let at = 0; at < 24; at++) {
        const way = ways[at % ways.length] as ProxyMode
        await proxy.setMode(way)
        await delay(way === 'pass' ? 450 : 250)
      }
      link.flapping = false
    }
    const seen = { passed: 0, failed: 0, refused: 0 }
    /** Repeats a call with the same key until it succeeds, as agents do. */
    const untilDone = async (call: () => Promise<ToolResponse>): Promise<any> => {
      for (;;) {
        const { ok, status, body, text } = await call()
        if (ok) return body
        expect(status, text).toBe(503)
        expect(body.code, text).toMatch(/^(UNAVAILABLE|TRANSIENT_CONFLICT)$/)
        seen.refused += 1
        await delay(50)
      }
    }
    const post = (path: string, key: string, body: object) =>
      send(server, person.key, { method: 'POST', path, body, headers: { 'Idempotency-Key': key } })
    const reader = async () => {
      while (link.flapping) {
        const { ok } = await rest.call(server, person, 'read_items', { items: [{ id: book, pages: '1' }] })
        seen[ok ? 'passed' : 'failed'] += 1
        await delay(20)
      }
    }
    const made: string[] = []
    const writer = async (name: string) => {
      for (let n = 1; link.flapping; n++) {
        const title = `${name} ${n}`
        const content = `# ${title}\n`
        await untilDone(() => post('/api/v1/items/markdown', `create-${name}-${n}`, { title, content }))
        await untilDone(() => post(`/api/v1/items/${book}/pages`, `append-${name}-${n}`, { content }))
        made.push(title)
        await delay(100)
      }
    }
    await Promise.all([flaps(), reader(), reader(), ...['one', 'two', 'three'].map(writer)])

    const { items } = await untilDone(() => rest.call(server, person, 'list_items'))
    expect(items.map(({ title }: { title: string }) => title).sort()).toEqual(['Grows', ...made].sort())
    const used = (await readsUsed(server, person)) - before
    expect(used).toBeGreaterThanOrEqual(seen.passed)
    expect(used).toBeLessThanOrEqual(seen.passed + seen.failed)
    const { content } = await untilDone(() => rest.call(server, person, 'get_item_content', { id: book }))
    const chapters: string[] = content.match(/^# .*/gm).map((line: string) => line.slice(2))
    expect(chapters.sort()).toEqual(['Page 1', ...made].sort())
    console.log(`flapping store: ${made.length} books and pages, ${used} reads counted`, seen)
  },
)
