import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweep, cleanUp } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { tools } from '../../tools/index.ts'
import { mcp, rest, restTransport, type ToolResponse } from '../support/transports.ts'
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

interface Attempt {
  /** `ok`, or the code of the refusal. */
  answers: string[]
  writes: string[]
}

/** By how many documents each changed collection grew. */
type Change = Record<string, number>

const passing = new Set(['UNAVAILABLE', 'TRANSIENT_CONFLICT'])

/**
 * Makes a call for each number, during which the reply to the write with that number is lost, and waits until background
 * work is done. Each call has its own prepared data.
 */
async function run(tool: string, lostWrites: readonly number[]): Promise<{ attempts: Attempt[]; change: Change }> {
  const prepared: Prepared[] = []
  for (const at of lostWrites) prepared.push({ at, ...(await prepareWrite(server, tool)) })
  await settle([2])
  const before = await countDocuments()
  const attempts: Attempt[] = []
  for (const each of prepared) attempts.push(await attempt(tool, each))
  await settle([2, 4])
  const after = [...(await countDocuments())].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
  return { attempts, change: Object.fromEntries(after.filter(([, count]) => count !== 0)) }
}

type Prepared = { at: number } & Awaited<ReturnType<typeof prepareWrite>>

/** Calls a tool, with the same key if it takes one, until the response no longer says to retry. */
async function attempt(tool: string, { at, input, by }: Prepared): Promise<Attempt> {
  const key = isKeyed(tool) ? `${tool}-${at}` : undefined
  const lost = proxy.loseReply(at)
  const answers: string[] = []
  for (let again = true; again;) {
    const { ok, body } = await callWith(key, { tool, input, by })
    answers.push(ok ? 'ok' : (body.code ?? body.error))
    again = passing.has(body.code)
    if (again) await delay(20)
  }
  proxy.loseReply(Infinity)
  return { answers, writes: lost.writes }
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
    await run(tool, [Infinity])
    const { attempts: whole, change } = await run(tool, [Infinity])
    const { answers, writes } = whole[0] as Attempt
    expect(answers).toEqual(['ok'])
    const numbers = writes.map((_, index) => index + 1)
    const broken = await run(tool, numbers)
    for (const [index, each] of broken.attempts.entries()) {
      const which = `${writes[index]}, write ${index + 1} of ${writes.length}`
      const [last = '', ...before] = each.answers.toReversed()
      if (before.length > 0 && done[tool] === last) expect(last, which).toBe(done[tool])
      else expect(last, which).toBe('ok')
      expect([...passing], which).toEqual(expect.arrayContaining(before))
    }
    const sum = Object.fromEntries(Object.entries(change).map(([name, count]) => [name, count * writes.length]))
    if (isDeepStrictEqual(broken.change, sum)) return
    // Together they do not tell which call had a different effect.
    for (const number of numbers)
      expect((await run(tool, [number])).change, `${writes[number - 1]}, write ${number}`).toEqual(change)
    expect(broken.change).toEqual(sum)
  },
)
