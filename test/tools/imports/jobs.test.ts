import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'
import {
  addFile,
  callOverRest,
  confirmUpload,
  importFile,
  findListedItem,
  sendFile,
  type JobBody,
} from '../../support/uploads.ts'

// No worker runs here, so jobs stay waiting.
let idle: TestServer
let server: TestServer

beforeAll(async () => {
  ;[idle, server] = await Promise.all([startTestServer({ LECTERN_ROLE: 'web' }), startTestServer()])
})
afterAll(() => Promise.all([idle.close(), server.close()]))

const file = { filename: 'book.md', bytes: Buffer.from('# One\n\nwhales\n') }
const missing = {
  status: 404,
  code: 'NOT_FOUND',
  message: /^Job not found\. List your imports with GET \/api\/v1\/jobs\.$/,
}

describe('get_job', () => {
  test('shows a job from start to end', async () => {
    const person = await idle.createPerson()
    const { itemId, jobId } = await addFile(idle, person, file)
    const { status, body } = await callOverRest(idle, person, 'get_job', { jobId })
    expect(status).toBe(200)
    expect(body).toEqual({
      job: {
        id: jobId,
        itemId,
        type: 'import',
        status: 'PENDING',
        progress: 0,
        stage: 'waiting',
        pages: null,
        error: null,
        errorCode: null,
        attempts: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    })
  })

  test('shows a job that succeeded', async () => {
    const { job } = await importFile(server, await server.createPerson(), file)
    expect(job).toMatchObject({ status: 'SUCCEEDED', progress: 100, stage: 'done', error: null, attempts: 1 })
  })

  test('a job of another account looks missing', async () => {
    const { jobId } = await addFile(idle, await idle.createPerson(), file)
    const other = await idle.createPerson()
    expectRefusal(await callOverRest(idle, other, 'get_job', { jobId }), 'rest', missing)
    expectRefusal(await callOverRest(idle, other, 'get_job', { jobId: 'nope' }), 'rest', missing)
  })
})

describe('list_jobs', () => {
  test("shows the caller's jobs, newest first", async () => {
    const person = await idle.createPerson()
    expect((await callOverRest(idle, person, 'list_jobs')).body).toEqual({ jobs: [] })
    const made: string[] = []
    for (let n = 0; n < 3; n += 1) made.unshift((await addFile(idle, person, file)).jobId)
    await addFile(idle, await idle.createPerson(), file)
    const { body } = await callOverRest(idle, person, 'list_jobs')
    expect((body.jobs as JobBody[]).map(({ id }) => id)).toEqual(made)
  })

  test('shows only the last hundred', async () => {
    const person = await idle.createPerson()
    const { itemId, jobId } = await addFile(idle, person, file)
    const rows = idle.running.opened.database.db.collection<{ _id: string; createdAt: Date }>('jobs')
    const row = await rows.findOne({ _id: jobId })
    if (!row) throw new Error('the job has no row')
    const older = Array.from({ length: 105 }, (_, n) => ({ _id: `old${n}`, createdAt: new Date(1e12 + n) }))
    await rows.insertMany(older.map((change) => ({ ...row, ...change, status: 'SUCCEEDED' })))
    const { body } = await callOverRest(idle, person, 'list_jobs')
    expect(body.jobs).toHaveLength(100)
    expect(body.jobs.slice(0, 2).map(({ id }: JobBody) => id)).toEqual([jobId, 'old104'])
    expect(body.jobs.every((job: JobBody) => job.itemId === itemId)).toBe(true)
  })

  test('a job is deleted with its book', async () => {
    const person = await idle.createPerson()
    const { itemId, jobId } = await addFile(idle, person, file)
    await callOverRest(idle, person, 'delete_items', { ids: [itemId] })
    expectRefusal(await callOverRest(idle, person, 'get_job', { jobId }), 'rest', missing)
  })

  test.for(['list_jobs', 'get_job'])('%s needs a key; a read-only one is enough', async (tool) => {
    const person = await idle.createPerson()
    const { jobId } = await addFile(idle, person, file)
    const path = tool === 'get_job' ? `/api/v1/jobs/${jobId}` : '/api/v1/jobs'
    const anonymous = await send(idle, null, { method: 'GET', path })
    expectRefusal(anonymous, 'rest', { status: 401, message: /Missing Authorization header/ })
    const reader = await idle.createPerson({ scopes: ['library:read'] })
    const { status } = await callOverRest(idle, reader, 'list_jobs')
    expect(status).toBe(200)
  })
})

describe('cancel_job', () => {
  const cancel = (person: Person, jobId: string, on = idle) => callOverRest(on, person, 'cancel_job', { jobId })

  test('ends a waiting job; the book fails with the next step and keeps its original', async () => {
    const person = await idle.createPerson()
    const { itemId, jobId, storageKey } = await addFile(idle, person, file)
    const { status, body } = await cancel(person, jobId)
    expect(status).toBe(200)
    const says = /was cancelled; reprocess the book/
    expect(body.job).toMatchObject({ id: jobId, status: 'CANCELLED', errorCode: 'CANCELLED' })
    expect(body.job.error).toMatch(says)
    const item = await findListedItem(idle, person, itemId)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: expect.stringMatching(says) })
    expect(await idle.running.opened.services.files.head(storageKey.replace('incoming', 'originals'))).not.toBeNull()
  })

  test('a repeat changes nothing', async () => {
    const person = await idle.createPerson()
    const { jobId } = await addFile(idle, person, file)
    const first = await cancel(person, jobId)
    const second = await cancel(person, jobId)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
  })

  test('leaves a job unchanged that has ended', async () => {
    const person = await server.createPerson()
    const { itemId, jobId } = await importFile(server, person, file)
    const { status, body } = await cancel(person, jobId, server)
    expect(status).toBe(200)
    expect(body.job).toMatchObject({ status: 'SUCCEEDED', error: null })
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'READY', health: 'ok' })
  })

  test('a cancelled book cannot be confirmed again', async () => {
    const person = await idle.createPerson()
    const upload = await sendFile(idle, person, file)
    const { body } = await confirmUpload(idle, person, upload)
    await cancel(person, body.job.id)
    expectRefusal(await confirmUpload(idle, person, upload), 'rest', {
      status: 409,
      message: /already being processed/,
    })
  })

  test('a job of another account looks missing and continues', async () => {
    const person = await idle.createPerson()
    const { jobId } = await addFile(idle, person, file)
    expectRefusal(await cancel(await idle.createPerson(), jobId), 'rest', missing)
    expect((await callOverRest(idle, person, 'get_job', { jobId })).body.job.status).toBe('PENDING')
  })

  test('needs a key that may write', async () => {
    const reader = await idle.createPerson({ scopes: ['library:read'] })
    const refusal = { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ }
    expectRefusal(await cancel(reader, 'nope'), 'rest', refusal)
  })
})
