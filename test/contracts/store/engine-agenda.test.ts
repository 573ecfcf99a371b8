import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'

describe.for(stores)('Agenda on the %s store', ([name, open]) => {
  let store: OpenStore
  let agenda: Agenda
  const stored = (job: string) => store.db.collection('agendaJobs').findOne({ name: job })
  beforeAll(async () => {
    store = await open()
    agenda = new Agenda({ backend: new MongoBackend({ mongo: store.db }), processEvery: 50 })
    await agenda.ready
    await agenda.start()
  })
  afterAll(async () => {
    await agenda.stop()
    await store.close()
  })

  test('runs a job once and keeps its result', async () => {
    const ran: unknown[] = []
    agenda.define('once', async (job) => void ran.push(job.attrs.data))
    await agenda.now('once', { book: 'a' })
    await expect.poll(() => ran).toEqual([{ book: 'a' }])
    await expect.poll(async () => (await stored('once'))?.['lastFinishedAt']).toBeInstanceOf(Date)
    expect(await stored('once')).toMatchObject({ lockedAt: null, nextRunAt: null })
  })

  test('runs a recurring job again and again', async () => {
    let runs = 0
    agenda.define('recurring', async () => void (runs += 1))
    await agenda.every('1 second', 'recurring')
    await expect.poll(() => runs, { timeout: 10_000 }).toBeGreaterThanOrEqual(3)
    await agenda.cancel({ name: 'recurring' })
  })

  test('records why a job failed', async () => {
    agenda.define('failing', async () => {
      throw new Error('no such page')
    })
    await agenda.now('failing', {})
    await expect.poll(async () => (await stored('failing'))?.['failReason']).toBe('no such page')
    expect((await stored('failing'))?.['failCount']).toBe(1)
  })

  test('keeps one job for a unique key', async () => {
    agenda.define('unique', async () => undefined)
    const later = () => agenda.create('unique', { book: 'a' }).unique({ 'data.book': 'a' }).schedule('in 1 hour').save()
    for (let i = 0; i < 3; i += 1) await later()
    expect(await store.db.collection('agendaJobs').countDocuments({ name: 'unique' })).toBe(1)
  })

  test.runIf(name === 'embedded')('picks the next job without reading those that are finished', async () => {
    const jobs = store.db.collection('agendaJobs')
    const finished = { name: 'import', priority: 0, nextRunAt: null, lockedAt: null, disabled: null }
    for (let i = 0; i < 20; i += 1) await jobs.insertMany(Array.from({ length: 1000 }, () => ({ ...finished })))
    await jobs.insertOne({ ...finished, nextRunAt: new Date(0) })
    const now = new Date()
    // The filter and order of MongoJobRepository.getNextJobToRun.
    const next = {
      name: 'import',
      disabled: { $ne: true },
      $or: [{ lockedAt: { $eq: null }, nextRunAt: { $lte: now } }, { lockedAt: { $lte: new Date(1) } }],
    }
    const order = { nextRunAt: 1, priority: -1 } as const
    const { executionStats } = await jobs.find(next).sort(order).limit(1).explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 })
    expect(executionStats.totalKeysExamined).toBeLessThan(20)
  })
})
