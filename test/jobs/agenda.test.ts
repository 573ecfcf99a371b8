import type { Db } from 'mongodb'
import { expect, onTestFinished, test } from 'vitest'
import { createAgenda } from '../../src/jobs/agenda.ts'
import { createQueue } from '../../src/jobs/queue.ts'
import { createBarrier } from '../support/manual-worker.ts'
import { openEmbedded } from '../support/stores.ts'

const options = { workerName: 'test', pollIntervalMs: 20, lockTimeoutMs: 30_000 }

/** A database whose collection of jobs waits at the barrier before it takes a row. */
function waitAt(barrier: ReturnType<typeof createBarrier>, db: Db): Db {
  const collection = (name: string) => {
    const rows = db.collection(name)
    const findOneAndUpdate = async (...query: [object, object]) => {
      await barrier.pass()
      return rows.findOneAndUpdate(...query)
    }
    return Object.create(rows, { findOneAndUpdate: { value: findOneAndUpdate } })
  }
  return Object.create(db, { collection: { value: collection } })
}

test('a queue that stops waits for a running poll, and releases the row that the poll takes', async () => {
  const store = await openEmbedded()
  onTestFinished(() => store.close())
  await createQueue(createAgenda(store.db, options).agenda, () => new Date()).enqueue({ id: 'job', lane: 'text' })
  const poll = createBarrier()
  const { agenda, stop, idle } = createAgenda(waitAt(poll, store.db), options)
  const ran: unknown[] = []
  agenda.define('import-text', async (job) => void ran.push(job.attrs.data))
  await agenda.start()
  await poll.arrived
  let isIdle = false
  const stopped = stop()
    .then(idle)
    .then(() => (isIdle = true))
  await new Promise(setImmediate)
  expect(isIdle).toBe(false)
  poll.open()
  await stopped
  expect(ran).toEqual([])
  const [row] = await store.db.collection('agenda').find({ 'data.jobId': 'job' }).toArray()
  expect(row?.['lockedAt'] ?? null).toBeNull()
})

test('an entry that has run is removed, so that the collection stays small', async () => {
  const store = await openEmbedded()
  onTestFinished(() => store.close())
  const { agenda, stop, idle } = createAgenda(store.db, options)
  onTestFinished(async () => {
    await stop()
    await idle()
  })
  const ended = Promise.withResolvers<void>()
  agenda.define('import-text', async () => {})
  agenda.on('complete:import-text', () => ended.resolve())
  await createQueue(agenda, () => new Date()).enqueue({ id: 'job', lane: 'text' })
  await agenda.start()
  await ended.promise
  await expect.poll(() => store.db.collection('agenda').countDocuments({ 'data.jobId': 'job' })).toBe(0)
})
