import { describe, expect, test } from 'vitest'
import { claimNextJob } from '../../src/imports/claim-next-job.ts'
import type { Place } from '../../src/imports/lane.ts'
import { queueJob } from '../../src/imports/queue-job.ts'
import type { Job } from '../../src/imports/store.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { newId } from '../../src/core/ids.ts'
import { createManualWorker, uploadScript } from '../support/manual-worker.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { callOverRest, confirmUpload, reserveUpload, sendFile } from '../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const services = () => server.running.opened.services
const leaseDurationMs = 60_000
const minute = 60_000

interface WaitingFile {
  sourceType?: 'pdf' | 'markdown'
  bytes?: number
  retry?: 0 | 1
}

/** Stores a waiting job like a confirmed upload does, without a file. */
function wait({ id: ownerId }: Pick<Person, 'id'>, { sourceType = 'pdf', bytes = 1000, retry }: WaitingFile = {}) {
  const original = { storageKey: 'none', filename: 'a', contentType: 'a', bytes, sha256: null }
  const book = { id: newId(), ownerId, sourceType, original }
  return queueJob(services(), book, { id: newId(), type: 'import', retry })
}

/** Claims the next job, which then runs. */
function claim({ round = 'layout', now }: { round?: Place; now?: () => Date } = {}): Promise<Job | null> {
  return claimNextJob({ ...services(), ...(now && { now }) }, round, { fence: newId(), leaseDurationMs })
}

async function end(job: Job | null): Promise<void> {
  const ended = { status: 'CANCELLED' as const, error: null, errorCode: null, updatedAt: services().now() }
  if (job) await services().jobs.end(job.id, ended)
}

/** Claims and ends jobs until none is left. Returns their ids in the order in which they started. */
async function runAll(): Promise<string[]> {
  const order: string[] = []
  for (let job = await claim(); job; job = await claim()) {
    order.push(job.id)
    await end(job)
  }
  return order
}

async function twoPeople(): Promise<[Person, Person]> {
  return [await server.createPerson(), await server.createPerson()]
}

describe('an account that queues many imports', () => {
  test('does not delay the import of another account by more than one', async () => {
    const [greedy, other] = await twoPeople()
    for (let n = 0; n < 20; n++) await wait(greedy)
    const job = await wait(other)
    for (let n = 0; n < 20; n++) await wait(greedy)
    const order = await runAll()
    expect(order).toHaveLength(41)
    expect(order.indexOf(job.id)).toBeLessThanOrEqual(1)
  })

  test('gets no second running import while another account waits for its first', async () => {
    const [greedy, other] = await twoPeople()
    for (let n = 0; n < 3; n++) await wait(greedy)
    const first = await claim()
    await wait(other)
    const second = await claim()
    const third = await claim()
    expect([first, second, third].map((job) => job?.accountId)).toEqual([greedy.id, other.id, greedy.id])
    await runAll()
    for (const job of [first, second, third]) await end(job)
  })

  test('gets one of four slots if four workers claim at the same moment and three others wait', async () => {
    const [greedy, ...others] = [...(await twoPeople()), ...(await twoPeople())]
    for (let n = 0; n < 10; n++) await wait(greedy)
    for (const other of others) await wait(other)
    const jobs = await Promise.all([claim(), claim(), claim(), claim()])
    expect(new Set(jobs.map((job) => job?.accountId))).toEqual(new Set([greedy, ...others].map(({ id }) => id)))
    for (const job of jobs) await end(job)
    await runAll()
  })

  test('takes turns: two accounts alternate', async () => {
    const [one, two] = await twoPeople()
    for (let n = 0; n < 4; n++) await wait(one)
    for (let n = 0; n < 4; n++) await wait(two)
    const owners: (string | undefined)[] = []
    for (let n = 0; n < 8; n++) {
      const job = await claim()
      owners.push(job?.accountId)
      await end(job)
    }
    for (let n = 1; n < 8; n++) expect(owners[n]).not.toBe(owners[n - 1])
  })

  test('of layout files does not delay Markdown', async () => {
    const [greedy, other] = await twoPeople()
    for (let n = 0; n < 5; n++) await wait(greedy)
    const running = await claim()
    const job = await wait(other, { sourceType: 'markdown' })
    const text = await claim({ round: 'text' })
    expect(text?.id).toBe(job.id)
    for (const claimed of [running, text]) await end(claimed)
    await runAll()
  })

  test('has at most 200 waiting: further ones are refused until some have ended', async () => {
    const person = await server.createPerson()
    const draft = await sendFile(server, person, { filename: 'draft.md', bytes: Buffer.from('# One\n') })
    const { itemId, jobId } = await uploadScript(server, person, { steps: [{ do: 'pages', count: 1 }] })
    await createManualWorker(server).run(jobId)
    for (let n = 0; n < 200; n++) await wait(person)
    const refusal = { status: 429, body: { error: expect.stringMatching(/200 of your imports are waiting.*cancel/) } }
    expect(await confirmUpload(server, person, draft)).toMatchObject(refusal)
    expect(await callOverRest(server, person, 'reprocess_item', { itemId })).toMatchObject(refusal)
    const file = { filename: 'more.md', bytes: Buffer.from('# Two\n') }
    await expect(reserveUpload(server, person, file)).rejects.toThrow(/429/)
    await end(await claim())
    const confirmed = await confirmUpload(server, person, draft)
    expect(confirmed.status).toBe(200)
    await callOverRest(server, person, 'cancel_job', { jobId: confirmed.body.job.id })
    await runAll()
  })
})

describe('of one account', () => {
  test('short files come before long ones', async () => {
    const person = await server.createPerson()
    const long = await wait(person, { bytes: 9_000_000 })
    const short = [await wait(person, { bytes: 3000 }), await wait(person, { bytes: 2000 })]
    expect(await runAll()).toEqual([short[1]?.id, short[0]?.id, long.id])
  })

  test('a long file that has waited five minutes is next, and short ones come in between', async () => {
    const person = await server.createPerson()
    const long = [await wait(person, { bytes: 9_000_000 }), await wait(person, { bytes: 8_000_000 })]
    const later = () => new Date(services().now().getTime() + 6 * minute)
    const order: (string | undefined)[] = []
    for (let n = 0; n < 4; n++) {
      const short = await wait(person, { bytes: 10 })
      const job = await claim({ now: later })
      order.push(job?.id === short.id ? 'short' : job?.id)
      await end(job)
    }
    expect(order).toEqual([long[0]?.id, expect.anything(), expect.anything(), expect.anything()])
    expect(order[1]).not.toBe(long[1]?.id)
    expect(order).toContain(long[1]?.id)
    await runAll()
  })

  test('a file that failed before comes after others, including those of other accounts, and is not forgotten', async () => {
    const [person, other] = await twoPeople()
    const failed = await wait(person, { bytes: 10, retry: 1 })
    const jobs = [await wait(person, { bytes: 9_000_000 }), await wait(other), await wait(other)]
    const order = await runAll()
    expect(order.at(-1)).toBe(failed.id)
    expect(new Set(order)).toEqual(new Set([failed, ...jobs].map(({ id }) => id)))
  })

  test('a file whose worker died comes after others', async () => {
    const person = await server.createPerson()
    const doomed = await wait(person, { bytes: 10 })
    const past = () => new Date(services().now().getTime() - 2 * leaseDurationMs)
    expect((await claim({ now: past }))?.id).toBe(doomed.id)
    const fresh = await wait(person, { bytes: 9_000_000 })
    expect(await runAll()).toEqual([fresh.id, doomed.id])
  })
})

describe('a short file behind long ones', () => {
  const overtaking = () => claim({ round: 'short' })

  test('starts while they run, on a separate slot, and they keep theirs', async () => {
    const person = await server.createPerson()
    const long = [await wait(person, { bytes: 40_000 }), await wait(person, { bytes: 50_000 })]
    const running = [await claim(), await claim()]
    const short = await wait(person, { bytes: 10_000 })
    expect((await overtaking())?.id).toBe(short.id)
    expect(await overtaking()).toBeNull()
    expect(new Set(running.map((job) => job?.id))).toEqual(new Set(long.map(({ id }) => id)))
    for (const job of [...running, short]) await end(job)
  })

  test.for<[string, WaitingFile[], WaitingFile]>([
    ['nothing runs', [], { bytes: 1 }],
    ['it is more than a quarter of the shortest that runs', [{ bytes: 9999 }, { bytes: 40 }], { bytes: 11 }],
    ['it failed before', [{ bytes: 9999 }], { bytes: 1, retry: 1 }],
    ['it is Markdown, which has its own lane', [{ bytes: 9999 }], { bytes: 1, sourceType: 'markdown' }],
  ])('does not start if %s', async ([, files, waiting]) => {
    const person = await server.createPerson()
    const running: (Job | null)[] = []
    for (const file of files) {
      await wait(person, file)
      running.push(await claim())
    }
    await wait(person, waiting)
    expect(await overtaking()).toBeNull()
    for (const job of running) await end(job)
    await runAll()
    await end(await claim({ round: 'text' }))
  })

  test('of several accounts: each takes its turn, with its shortest file first', async () => {
    const people = await twoPeople()
    const [one, two] = people
    await wait(one, { bytes: 99_000 })
    const long = await claim()
    for (const person of people) for (const bytes of [30, 20, 10]) await wait(person, { bytes })
    const order: [string | undefined, number | undefined][] = []
    for (let n = 0; n < 6; n++) {
      const job = await overtaking()
      order.push([job?.accountId, job?.bytes])
      await end(job)
    }
    expect(order.map(([, bytes]) => bytes)).toEqual([10, 10, 20, 20, 30, 30])
    for (let n = 0; n < 6; n += 2)
      expect(new Set([order[n]?.[0], order[n + 1]?.[0]])).toEqual(new Set([one.id, two.id]))
    await end(long)
  })

  test('removes nobody from the round of long ones: however many overtake, a long one gets its turn', async () => {
    const [person, other] = await twoPeople()
    const long = await wait(person, { bytes: 90_000 })
    await wait(other, { bytes: 99_000 })
    await wait(other, { bytes: 98_000 })
    const first = await claim()
    for (let n = 0; n < 5; n++) {
      await wait(person, { bytes: 10 })
      await end(await overtaking())
    }
    const later = () => new Date(services().now().getTime() + 6 * minute)
    const next = [first, await claim({ now: later })]
    expect(next.map((job) => job?.id)).toContain(long.id)
    for (const job of next) await end(job)
    await runAll()
  })
})

describe('the first import of an account', () => {
  const first = () => claim({ round: 'first' })

  test('starts in a separate place while imports of others run, whatever its size', async () => {
    const [greedy, other] = await twoPeople()
    for (let n = 0; n < 4; n++) await wait(greedy, { bytes: 10 })
    const running = [await claim(), await claim()]
    expect(await first()).toBeNull()
    const jobs = [await wait(other, { bytes: 9_000_000 }), await wait(other, { bytes: 8_000_000 })]
    const started = await first()
    expect(started?.id).toBe(jobs[1]?.id)
    expect(await first()).toBeNull()
    await end(started)
    expect((await first())?.id).toBe(jobs[0]?.id)
    for (const job of [...running, ...jobs]) await end(job)
    await runAll()
  })

  test.for<[string, { isRunning: boolean; waiting: WaitingFile }]>([
    ['nothing runs', { isRunning: false, waiting: {} }],
    ['it failed before', { isRunning: true, waiting: { retry: 1 } }],
    ['it is Markdown, which has its own lane', { isRunning: true, waiting: { sourceType: 'markdown' } }],
  ])('does not start there if %s', async ([, { isRunning, waiting }]) => {
    const [greedy, other] = await twoPeople()
    if (isRunning) await wait(greedy)
    const running = await claim()
    await wait(other, waiting)
    expect(await first()).toBeNull()
    await end(running)
    await runAll()
    await end(await claim({ round: 'text' }))
  })
})

test('a job that an earlier version has stored is run', async () => {
  const person = await server.createPerson()
  const job = await wait(person)
  const { db } = server.running.opened.database
  const jobs = db.collection<{ _id: string }>('jobs')
  await jobs.updateOne({ _id: job.id }, { $unset: { lane: '', bytes: '', retry: '' } })
  await db.collection('importTurns').deleteMany({ accountId: person.id })
  expect(await claim()).toBeNull()
  await sweep({ ...services(), log: createLog('silent') })
  expect(await runAll()).toEqual([job.id])
})
