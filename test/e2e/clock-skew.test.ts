import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rest, send } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { startReplicas, type Replicas } from '../support/replicas.ts'
import { skewedClockEnvironment } from '../support/server-process.ts'
import type { Person, TestServer } from '../support/server.ts'
import { unwrap, confirmUpload, waitForJobEnd, putFile, reserveUpload } from '../support/uploads.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword, signIn } from '../support/signed-in-person.ts'

const minutes = 60_000
const days = 24 * 60 * minutes
const clocks: [string, number][] = [
  ['ten minutes slow', -10 * minutes],
  ['forty days fast', 40 * days],
]

describe.for(clocks)('a replica with a worker whose clock is %s', ([, ms]) => {
  let replicas: Replicas
  let right: TestServer
  let wrong: Pick<TestServer, 'baseUrl'>

  beforeAll(async () => {
    const plans = await plansEnvironment({ tier: 'THREE', itemLimit: 100, monthlyReadLimit: 3 })
    replicas = await startReplicas(plans, { LECTERN_ROLE: 'all', TEST_LEASE_MS: '2000', ...skewedClockEnvironment(ms) })
    right = replicas.server
    wrong = { baseUrl: replicas.baseUrls[1] }
  })
  // Closing the servers checks all invariants.
  afterAll(() => replicas.close())

  const post = (server: Pick<TestServer, 'baseUrl'>, { key }: Person, path: string, body: object) =>
    send(server, key, { method: 'POST', path: `/api/v1${path}`, body })

  test('is wrong', async () => {
    const metrics = await (await fetch(`${wrong.baseUrl}/metrics`)).text()
    const startedAt = Number(/^process_start_time_seconds (\d+)/m.exec(metrics)?.[1]) * 1000
    expect(Math.abs(startedAt - Date.now() - ms)).toBeLessThan(2 * minutes)
  })

  test('writes times of the shared clock', async () => {
    const person = await right.createPerson()
    const from = Date.now()
    const { id } = unwrap<{ id: string }>(await post(wrong, person, '/items/markdown', { title: 'A', content: 'b' }))
    const { body } = await rest.call(right, person, 'list_items')
    expect(body.items[0]).toMatchObject({ id })
    expect(Math.abs(Date.parse(body.items[0].createdAt) - from)).toBeLessThan(minutes)
  })

  test('counts reads in the same month as the others', async () => {
    const person = await right.createPerson({ plan: 'THREE' })
    const items = [{ id: await makeBook(right, person, { content: 'text' }) }]
    for (const server of [right, wrong, right]) unwrap(await post(server, person, '/items/batch', { items }))
    const now = new Date()
    const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
    for (const server of [right, wrong])
      expect((await post(server, person, '/items/batch', { items })).body).toMatchObject({
        code: 'READ_LIMIT_EXCEEDED',
        resetsAt,
      })
  })

  test.for([
    ['issued by it', true],
    ['sent to it', false],
  ] as const)('takes part in uploads: a URL that is %s is valid, and the import runs once', async ([, byIt]) => {
    const [first, second] = byIt ? [wrong, right] : [right, wrong]
    const person = await right.createPerson()
    const bytes = Buffer.from('# One\n\nwhales\n# Two\n\nships\n')
    const upload = await reserveUpload(first, person, { filename: 'whales.md', bytes })
    const address = new URL(new URL(upload.uploadUrl).pathname, second.baseUrl).href
    expect((await putFile(address, bytes)).status).toBe(200)
    const { job } = unwrap<{ job: { id: string } }>(await confirmUpload(first, person, upload))
    expect(await waitForJobEnd(second, person, job.id)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
  })

  test.for([
    ['created by it', true],
    ['created by others', false],
  ] as const)('a session that is %s is valid on both replicas', async ([, byIt]) => {
    const [first, second] = byIt ? [wrong, right] : [right, wrong]
    const { email } = await accountWithPassword(right)
    const browser = webClient(first)
    expect((await signIn(browser, email)).status).toBe(303)
    for (const { baseUrl } of [first, second])
      expect((await browser.get(`${baseUrl}/account`)).status, baseUrl).toBe(200)
  })

  test('sweeps nothing that other replicas are working on', { timeout: 60_000 }, async () => {
    const write = async () => {
      const person = await right.createPerson()
      const book = await makeBook(right, person, { content: '# 0\n' })
      for (let n = 1; n <= 10; n++) {
        unwrap(await post(right, person, '/items/markdown', { title: `Book ${n}`, content: '# One\n' }))
        unwrap(await post(right, person, `/items/${book}/pages`, { content: `# ${n}\n` }))
        // So that the calls extend over several sweeps, which run every second.
        await delay(200)
      }
      const { body } = await rest.call(right, person, 'get_item_content', { id: book })
      expect(body.content).toBe(Array.from({ length: 11 }, (_, n) => `# ${n}\n`).join(''))
    }
    await Promise.all(Array.from({ length: 6 }, write))
  })
})
