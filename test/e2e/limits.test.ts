import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import type { LimitTrial } from '../support/limit-trial.ts'
import { testDatabaseEnvironment, startTestServer, type TestServer } from '../support/server.ts'

const program = fileURLToPath(new URL('../support/limit-process.ts', import.meta.url))
const processes = 4
const attempts = 40

let directory: string
let server: TestServer
let children: ChildProcess[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-limits-'))
  const shared = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ ...shared, LECTERN_ROLE: 'web' })
  const env = { ...process.env, ...shared }
  children = Array.from({ length: processes }, () =>
    fork(program, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
})
afterAll(async () => {
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.disconnect()
  await Promise.all(ended)
  // The slots taken here have no books: they are given back before the invariants are checked.
  await server.running.opened.database.db.collection('accounts').updateMany({}, { $set: { slots: 0, pending: [] } })
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

/** How many attempts of all processes together were let through. */
async function granted(trial: Omit<LimitTrial, 'attempts'>): Promise<number> {
  const answers = children.map(async (child) => {
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
] as const)('four processes never pass a limit: %s, exactly %i of 160 are let through', async ([what, limit]) => {
  const { id } = await server.createPerson()
  expect(await granted({ kind: what, accountId: id, limit })).toBe(limit)
})

test('reading, comparing and incrementing lets more through: the trial can fail', async () => {
  const { id } = await server.createPerson()
  const count = await granted({ kind: 'naive', accountId: id, limit: 25 })
  process.stdout.write(`naive counter: ${count} of 25 allowed were let through\n`)
  expect(count).toBeGreaterThan(25)
})
