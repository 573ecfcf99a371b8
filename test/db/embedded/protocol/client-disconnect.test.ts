import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Job, Scheduler } from '../../../../src/db/embedded/protocol/scheduler.ts'
import { createListener } from '../../../../src/db/embedded/protocol/server.ts'
import { encodeMessage } from '../../../support/wire-client.ts'

let directory: string
let server: Server
let client: Socket
let jobs: Job[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'lectern-gone-'))
  const path = join(directory, 'sock')
  jobs = []
  const scheduler = { submit: (job: Job) => void jobs.push(job) } as unknown as Scheduler
  server = createListener({ scheduler, secret: undefined, log: () => {} })
  server.listen(path)
  await once(server, 'listening')
  client = connect(path)
  client.write(encodeMessage({ find: 'c', $db: 'a' }))
  await vi.waitUntil(() => jobs.length === 1, { timeout: 20_000 })
})
afterEach(() => {
  client.destroy()
  server.close()
  rmSync(directory, { recursive: true })
})

test.for(['destroy', 'end'] as const)(
  'the listener notices that a client has disconnected (%s) before it is answered',
  async (leave) => {
    expect(jobs[0]?.hasDisconnected()).toBe(false)
    client[leave]()
    await vi.waitUntil(() => jobs[0]?.hasDisconnected(), { timeout: 20_000 })
  },
)
