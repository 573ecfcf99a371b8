import { beforeAll, describe, expect, test } from 'vitest'
import type { ImportServices } from '../../src/imports/run-import.ts'
import { uploadScript, createBarrier, createManualWorker } from '../support/manual-worker.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { callOverRest, findListedItem, readPageTexts } from '../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const script = { info: { title: 'A Script' }, steps: [{ do: 'pages', count: 5 } as const] }
const jobOf = (jobId: string) => server.running.opened.services.jobs.byId(person.id, jobId)

/** Checks that the book is complete, in one version, and that its owner was notified once. */
async function expectReadable(itemId: string): Promise<void> {
  const { contents, notifications } = server.running.opened.services
  expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'READY', health: 'ok', pageCount: 5 })
  const versions = await contents.listVersions(itemId)
  expect(versions.map(({ version, pageCount }) => [version, pageCount])).toEqual([[1, 5]])
  expect(await readPageTexts(server, person, itemId)).toHaveLength(5)
  const told = await notifications.list(person.id, { unread: false, limit: 50 })
  expect(told.filter(({ metadata }) => metadata['itemId'] === itemId)).toHaveLength(1)
}

/** Also checks that only the pages of the current version are stored. */
async function expectOneResult(itemId: string): Promise<void> {
  await expectReadable(itemId)
  const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
  expect(await pages.countDocuments({ _id: { $regex: `^${itemId}:` } })).toBe(5)
}

describe('a job', () => {
  test('that many workers are told to run is run by one', async () => {
    const { itemId, jobId } = await uploadScript(server, person, script)
    const workers = Array.from({ length: 4 }, () => createManualWorker(server))
    await Promise.all([...workers, ...workers].map((worker) => worker.run(jobId)))
    expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED', attempts: 1, progress: 100, leaseUntil: null })
    await expectOneResult(itemId)
  })

  test('that has ended is not run again', async () => {
    const { itemId, jobId } = await uploadScript(server, person, script)
    const worker = createManualWorker(server)
    await worker.run(jobId)
    const ended = await jobOf(jobId)
    await worker.run(jobId)
    expect(await jobOf(jobId)).toEqual(ended)
    await expectOneResult(itemId)
  })

  test('that does not exist is not an error', async () => {
    await expect(createManualWorker(server).run('nope')).resolves.toBeUndefined()
  })
})

const stalls = [
  ['before the first page is stored', 'contents', 'writePages'],
  ['before it renews its lease', 'jobs', 'update'],
  ['before it seals its version', 'contents', 'seal'],
  ['before it publishes its version', 'books', 'change'],
  ['before it notifies the owner', 'notifications', 'add'],
] as const

describe('a worker that is wrongly considered dead', () => {
  test.for(stalls)('and stalls %s stores no second result when it wakes up', async ([, part, method]) => {
    const { itemId, jobId } = await uploadScript(server, person, script)
    const sleeper = createManualWorker(server)
    const transport = createBarrier()
    const running = sleeper.run(jobId, asleepAt(sleeper.services, transport, [part, method]))
    await transport.arrived
    await createManualWorker(server).run(jobId, { now: afterTheLease })
    await expectReadable(itemId)
    transport.open()
    await running
    expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
    await expectOneResult(itemId)
  })

  test('leaves nothing of a book that has been deleted and erased', async () => {
    for (const [, part, method] of stalls) {
      const { itemId, jobId } = await uploadScript(server, person, script)
      const sleeper = createManualWorker(server)
      const transport = createBarrier()
      const running = sleeper.run(jobId, asleepAt(sleeper.services, transport, [part, method]))
      await transport.arrived
      await callOverRest(server, person, 'delete_items', { ids: [itemId] })
      transport.open()
      await running
      await callOverRest(server, person, 'erase_deleted_item', { itemId })
      for (const name of ['books', 'contents', 'jobs', 'uploads']) {
        const rows = server.running.opened.database.db.collection<{ _id: string; itemId?: string }>(name)
        expect(await rows.countDocuments({ $or: [{ _id: itemId }, { itemId }] })).toBe(0)
      }
      const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
      expect(await pages.countDocuments({ _id: { $regex: `^${itemId}:` } })).toBe(0)
    }
  })
})

const afterTheLease = () => new Date(Date.now() + 60_000)

/**
 * Services of a worker in which one method blocks until the test releases it. While it blocks, no heartbeat is sent.
 */
function asleepAt(
  services: ImportServices,
  transport: ReturnType<typeof createBarrier>,
  [part, method]: readonly [keyof ImportServices, string],
): Partial<ImportServices> {
  const held = (of: object, name: string, wait: () => Promise<void>) => {
    const original = Reflect.get(of, name) as (...given: unknown[]) => unknown
    return { ...of, [name]: (...given: unknown[]) => wait().then(() => original(...given)) }
  }
  const silent = {
    jobs: held(services.jobs, 'update', () => (transport.taken() ? transport.pass() : Promise.resolve())),
  }
  return {
    ...silent,
    [part]: held(services[part] as object, method, transport.pass),
  } as unknown as Partial<ImportServices>
}
