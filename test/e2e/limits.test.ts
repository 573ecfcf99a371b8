import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { forkAndWait, type ForkedProcess } from '../support/fork-and-wait.ts'
import type { LimitTrial } from '../support/limit-trial.ts'
import { testDatabaseEnvironment, startTestServer, type TestServer } from '../support/server.ts'

const processes = 4
const attempts = 40

let directory: string
let server: TestServer
let forked: ForkedProcess[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-limits-'))
  const shared = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ ...shared, LECTERN_ROLE: 'web' })
  const env = { ...process.env, ...shared }
  forked = await Promise.all(Array.from({ length: processes }, () => forkAndWait('limit-process.ts', { env })))
})
afterAll(async () => {
  for (const { child } of forked) child.disconnect()
  await Promise.all(forked.map(({ ended }) => ended))
  // The slots taken here belong to no books. They are released before the invariants are checked.
  await server.running.opened.database.db.collection('accounts').updateMany({}, { $set: { slots: 0, pending: [] } })
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

/** Returns how many attempts of all processes together were admitted. */
async function granted(trial: Omit<LimitTrial, 'attempts'>): Promise<number> {
  const answers = forked.map(async ({ child }) => {
    const answer = once(child, 'message')
    child.send({ ...trial, attempts })
    const [count] = await answer
    return count as number
  })
  return (await Promise.all(answers)).reduce((sum, count) => sum + count, 0)
}

test.for([
  ['reads', 25],
  ['slots', 25],
  ['rate', rateLimits.mcp_read],
] as const)('four processes never exceed a limit: %s, exactly %i of 160 succeed', async ([what, limit]) => {
  const { id } = await server.createPerson()
  expect(await granted({ kind: what, accountId: id, limit })).toBe(limit)
})

test('control: reading, comparing and incrementing lets more through', async () => {
  const { id } = await server.createPerson()
  const count = await granted({ kind: 'naive', accountId: id, limit: 25 })
  process.stdout.write(`naive counter: ${count} of 25 allowed were let through\n`)
  expect(count).toBeGreaterThan(25)
})
