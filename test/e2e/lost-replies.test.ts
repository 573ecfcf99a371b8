import { setTimeout as delay } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweep, cleanUp } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { tools } from '../../tools/index.ts'
import { transports, restTransport, type ToolResponse } from '../support/transports.ts'
import { hasTransport } from '../support/tool-cases.ts'
import { startFlakyStoreServer, type FlakyStoreServer } from '../support/flaky-store-server.ts'
import type { Person, TestServer } from '../support/server.ts'
import type { StoreProxy } from '../support/store-proxy.ts'
import { prepareWrite, writingTools } from '../support/write-fixtures.ts'

let lossy: FlakyStoreServer
let server: TestServer
let proxy: StoreProxy
let direct: MongoClient

beforeAll(async () => {
  lossy = await startFlakyStoreServer({ LECTERN_ROLE: 'web' }, { impatient: true })
  ;({ server, proxy } = lossy)
  direct = await MongoClient.connect(lossy.storeUrl)
})
afterAll(async () => {
  await direct?.close()
  await lossy.close()
})

const [[, rest], [, mcp]] = transports as [(typeof transports)[0], (typeof transports)[0]]

/** The answer to a repeated call whose first attempt succeeded, where no idempotency key identifies the two. */
const done: Record<string, string> = {
  confirm_upload: 'This book is already being processed. Follow it with GET /api/v1/jobs.',
  subscribe_marketplace: 'CONFLICT',
  unsubscribe_marketplace: 'NOT_FOUND',
  delete_team: 'NOT_A_TEAM_MEMBER',
}

/** Collections of internal work, whose number of documents depends on timing. */
const housekeeping = /^(agenda|idempotency|rates|keys|uploads|search_work|.*Tallies)$/

/**
 * The number of documents in each collection, counted without the proxy. Excludes the audit log: a call whose reply was
 * lost may have no entry, because its repetition changes nothing.
 */
async function countDocuments(): Promise<Map<string, number>> {
  const db = direct.db(server.running.opened.database.db.databaseName)
  const names = (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !housekeeping.test(name) && name !== 'audit')
  return new Map(
    await Promise.all(names.map(async (name) => [name, await db.collection(name).estimatedDocumentCount()] as const)),
  )
}

const hour = 60 * 60 * 1000

/** Runs the sweeps that follow after each of these numbers of hours. */
async function settle(hours: readonly number[]): Promise<void> {
  for (const later of hours) {
    const now = () => new Date(Date.now() + later * hour)
    const services = { ...server.running.opened.services, now, log: createLog('silent') }
    await sweep(services)
    await cleanUp(services)
  }
}

interface Run {
  /** `ok`, or the code of the refusal. */
  answers: string[]
  writes: string[]
  /** By how many documents each changed collection grew. */
  change: Record<string, number>
}

const passing = new Set(['UNAVAILABLE', 'TRANSIENT_CONFLICT'])

/**
 * Calls a tool, with the same key if it takes one, until the response no longer says to retry, and waits until
 * background work is done.
 */
async function run(tool: string, at: number): Promise<Run> {
  const { input, by } = await prepareWrite(server, tool)
  const key = isKeyed(tool) ? `${tool}-${at}` : undefined
  await settle([2])
  const before = await countDocuments()
  const lost = proxy.loseReply(at)
  const answers: string[] = []
  for (let again = true; again;) {
    const { ok, body } = await callWith(key, { tool, input, by })
    answers.push(ok ? 'ok' : (body.code ?? body.error))
    again = passing.has(body.code)
    if (again) await delay(20)
  }
  proxy.loseReply(Infinity)
  await settle([2, 4])
  const after = [...(await countDocuments())].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
  return { answers, writes: lost.writes, change: Object.fromEntries(after.filter(([, count]) => count !== 0)) }
}

const isKeyed = (tool: string) => tools.find(({ name }) => name === tool)?.idempotent === true

interface Call {
  tool: string
  input: Record<string, unknown>
  by: Person
}

/** Sends the key as an argument over MCP, as a header over REST. */
function callWith(key: string | undefined, { tool, input, by }: Call): Promise<ToolResponse> {
  if (key === undefined) return rest.call(server, by, tool, input)
  if (hasTransport(tool, 'mcp')) return mcp.call(server, by, tool, { ...input, idempotencyKey: key })
  return restTransport({ 'Idempotency-Key': key }).call(server, by, tool, input)
}

test.for(writingTools)(
  '%s takes effect once, whichever reply of the store is lost',
  { timeout: 120_000 },
  async (tool) => {
    await run(tool, Infinity)
    const { answers, writes, change } = await run(tool, Infinity)
    expect(answers).toEqual(['ok'])
    for (const [index, write] of writes.entries()) {
      const broken = await run(tool, index + 1)
      const which = `${write}, write ${index + 1} of ${writes.length}`
      const [last = '', ...before] = broken.answers.toReversed()
      if (before.length > 0 && done[tool] === last) expect(last, which).toBe(done[tool])
      else expect(last, which).toBe('ok')
      expect([...passing], which).toEqual(expect.arrayContaining(before))
      expect(broken.change, which).toEqual(change)
    }
  },
)
