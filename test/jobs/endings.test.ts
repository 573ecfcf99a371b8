import { setTimeout as delay } from 'node:timers/promises'
import { MongoNetworkError } from 'mongodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { FileStoreError } from '../../src/files/store.ts'
import type { ImportServices } from '../../src/imports/run-import.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { uploadScript, createBarrier, createManualWorker } from '../support/manual-worker.ts'
import type { Step } from '../support/scripted-format.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { unwrap, callOverRest, findListedItem, readPageTexts } from '../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const info = { title: 'A Script' }
const pages: Step = { do: 'pages', count: 5 }
const slow: Step[] = [pages, { do: 'slow pages', count: 2000, ms: 10 }]
const jobOf = (jobId: string) => server.running.opened.services.jobs.byId(person.id, jobId)
const later = () => new Date(Date.now() + 60_000)

function pagesStored(itemId: string): Promise<number> {
  const rows = server.running.opened.database.db.collection<{ _id: string }>('pages')
  return rows.countDocuments({ _id: { $regex: `^${itemId}:` } })
}

/** Waits until the running import has stored its first pages. */
async function firstPages(itemId: string): Promise<void> {
  while ((await pagesStored(itemId)) === 0) await delay(10)
}

async function reprocess(itemId: string): Promise<string> {
  return unwrap<{ job: { id: string } }>(await callOverRest(server, person, 'reprocess_item', { itemId })).job.id
}

describe('an import that is cancelled while it runs', () => {
  test('stops, leaves no pages and keeps the original', async () => {
    const { itemId, jobId, storageKey } = await uploadScript(server, person, { info, steps: slow })
    const worker = createManualWorker(server)
    const running = worker.run(jobId)
    await firstPages(itemId)
    expect((await callOverRest(server, person, 'cancel_job', { jobId })).body.job.status).toBe('CANCELLED')
    await running
    expect(await jobOf(jobId)).toMatchObject({ status: 'CANCELLED', errorCode: 'CANCELLED' })
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'FAILED', health: 'failed' })
    expect(await pagesStored(itemId)).toBe(0)
    expect(await server.running.opened.services.files.head(storageKey.replace('incoming', 'originals'))).not.toBeNull()
  })

  test('can be done again after that', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    await callOverRest(server, person, 'cancel_job', { jobId })
    await createManualWorker(server).run(await reprocess(itemId))
    expect(await findListedItem(server, person, itemId)).toMatchObject({
      status: 'READY',
      health: 'ok',
      healthReason: null,
    })
    expect(await readPageTexts(server, person, itemId)).toHaveLength(5)
  })

  test('after its last page creates no version', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    const transport = createBarrier()
    const { jobs } = worker.services
    const update: typeof jobs.update = async (...given) => {
      await transport.pass()
      return jobs.update(...given)
    }
    const running = worker.run(jobId, { jobs: { ...jobs, update } })
    while ((await pagesStored(itemId)) < 5) await delay(10)
    await callOverRest(server, person, 'cancel_job', { jobId })
    transport.open()
    await running
    expect(await server.running.opened.services.contents.listVersions(itemId)).toEqual([])
    expect(await pagesStored(itemId)).toBe(0)
  })

  test('just before it is published does not become readable', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    const transport = createBarrier()
    const { contents } = worker.services
    const seal: typeof contents.seal = async (manifest) => {
      await transport.pass()
      return contents.seal(manifest)
    }
    const running = worker.run(jobId, { contents: { ...contents, seal } })
    await transport.arrived
    await callOverRest(server, person, 'cancel_job', { jobId })
    transport.open()
    await running
    expect(await jobOf(jobId)).toMatchObject({ status: 'CANCELLED' })
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'FAILED', pageCount: 0 })
  })

  test('of a readable book leaves it readable', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    await worker.run(jobId)
    const again = await reprocess(itemId)
    await callOverRest(server, person, 'cancel_job', { jobId: again })
    await worker.run(again)
    expect(await jobOf(again)).toMatchObject({ status: 'CANCELLED' })
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'READY', health: 'ok' })
    expect(await readPageTexts(server, person, itemId)).toHaveLength(5)
  })
})

describe('an import whose reader fails', () => {
  test.for<[string, Step, string]>([
    ['aborts', { do: 'abort' }, 'CRASHED'],
    ['exits', { do: 'exit', code: 0 }, 'CRASHED'],
    ['is killed', { do: 'kill' }, 'OUT_OF_MEMORY'],
    ['has a defect', { do: 'throw' }, 'CRASHED'],
  ])('and %s fails at once, with a reason and without pages', async ([, step, errorCode]) => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages, step] })
    await createManualWorker(server).run(jobId)
    const job = await jobOf(jobId)
    expect(job).toMatchObject({ status: 'FAILED', errorCode, attempts: 1 })
    const item = await findListedItem(server, person, itemId)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: job?.error })
    expect(await pagesStored(itemId)).toBe(0)
  })
})

describe('an import that its worker cannot continue', () => {
  const failing = ({ contents }: ImportServices, error: Error): Partial<ImportServices> => ({
    contents: { ...contents, writePages: () => Promise.reject(error) },
  })

  test.for<[string, Error]>([
    ['the store is unreachable', new MongoNetworkError('reset by a test')],
    ['the files are unreachable', new FileStoreError('UNAVAILABLE', 'by a test')],
    ['there is no space for a temporary file', new FileStoreError('FULL', 'by a test')],
  ])('because %s is retried later, however often that happens', async ([, error]) => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    for (let n = 0; n < 7; n += 1) {
      await expect(worker.run(jobId, failing(worker.services, error))).rejects.toBe(error)
      expect(await jobOf(jobId)).toMatchObject({ status: 'PENDING', attempts: 0, leaseUntil: null })
    }
    await worker.run(jobId)
    expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    expect(await pagesStored(itemId)).toBe(5)
  })

  test('because of a defect is tried five times and then fails, with a reason', async () => {
    const { itemId, jobId, storageKey } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    const broken = failing(worker.services, new TypeError('a defect'))
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const at = new Date(Date.now() + attempt * 60_000)
      await expect(worker.run(jobId, { ...broken, now: () => at })).rejects.toThrow('a defect')
      expect(await jobOf(jobId)).toMatchObject({ status: 'RUNNING', attempts: attempt })
    }
    await worker.run(jobId, { ...broken, now: () => new Date(Date.now() + 10 * 60_000) })
    const job = await jobOf(jobId)
    expect(job).toMatchObject({ status: 'FAILED', errorCode: 'CRASHED' })
    const item = await findListedItem(server, person, itemId)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: job?.error })
    expect(await server.running.opened.services.files.head(storageKey.replace('incoming', 'originals'))).not.toBeNull()
  })

  test('because its process stops is returned as if it had not begun', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: slow })
    const worker = createManualWorker(server)
    const running = worker.run(jobId)
    await firstPages(itemId)
    await worker.stop()
    await running
    expect(await jobOf(jobId)).toMatchObject({ status: 'PENDING', attempts: 0, stage: 'waiting', leaseUntil: null })
    expect(await pagesStored(itemId)).toBe(0)
    await callOverRest(server, person, 'cancel_job', { jobId })
  })
})

describe('the sweep', () => {
  const services = () => createManualWorker(server).services
  const queued = async (jobId: string) =>
    (await server.running.opened.database.db.collection('agenda').countDocuments({ 'data.jobId': jobId })) === 1

  test('returns a job to the queue if its worker has died', async () => {
    const { jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const worker = createManualWorker(server)
    const defect = { ...worker.services.contents, writePages: () => Promise.reject(new Error('a defect')) }
    await worker.run(jobId, { contents: defect }).catch(() => {})
    await server.running.opened.database.db.collection('agenda').deleteMany({})
    await sweep({ ...server.running.opened.services, log: services().log })
    expect(await queued(jobId)).toBe(false)
    await sweep({ ...server.running.opened.services, log: services().log, now: later })
    expect(await queued(jobId)).toBe(true)
    await worker.run(jobId, { now: later })
    expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
  })

  test('creates the job of a book that a crash left without one', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    await (
      await server.running.opened.services.jobs.planRemoval(itemId)
    )()
    await sweep({ ...server.running.opened.services, log: services().log, now: later })
    expect(await jobOf(jobId)).toMatchObject({ id: jobId, itemId, status: 'PENDING', type: 'import' })
    await createManualWorker(server).run(jobId)
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'READY', pageCount: 5 })
  })

  test('ends a book that a crash left after its job was cancelled', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const end = {
      status: 'CANCELLED',
      error: 'as the test says',
      errorCode: 'CANCELLED',
      updatedAt: new Date(),
    } as const
    await server.running.opened.services.jobs.end(jobId, end)
    await sweep({ ...server.running.opened.services, log: services().log, now: later })
    const item = await findListedItem(server, person, itemId)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: 'as the test says' })
  })

  test('reports a book that has waited for a quarter of an hour', async () => {
    const { itemId, jobId } = await uploadScript(server, person, { info, steps: [pages] })
    const afterwards = () => new Date(Date.now() + 16 * 60_000)
    await sweep({ ...server.running.opened.services, log: services().log, now: afterwards })
    const stuck = await findListedItem(server, person, itemId)
    expect(stuck).toMatchObject({
      status: 'PROCESSING',
      health: 'stuck',
      healthReason: expect.stringMatching(/15 minutes/),
    })
    await createManualWorker(server).run(jobId)
    expect(await findListedItem(server, person, itemId)).toMatchObject({
      status: 'READY',
      health: 'ok',
      healthReason: null,
    })
  })
})
