import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { migratingOf } from '../../src/app/migrate.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createManualWorker, uploadScript } from '../support/manual-worker.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import type { Script } from '../support/scripted-format.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { transports } from '../support/transports.ts'
import { callOverRest, findListedItem, reserveUpload, sendFile, confirmUpload, unwrap } from '../support/uploads.ts'

const kilobyte = 1024
const smallPlan = { tier: 'SMALL', tierDisplay: 'Small', storageMb: 1, itemLimit: 100 }
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ ...(await plansEnvironment(smallPlan)), LECTERN_ROLE: 'web' })
})
afterAll(() => server.close())

const services = () => server.running.opened.services
const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)
const ofBook = (itemId: string) => ({ _id: { $gte: `${itemId}:`, $lt: `${itemId};` } })
const small = () => server.createPerson({ plan: 'SMALL' })

async function usedMb(person: Person): Promise<number> {
  return unwrap<{ storageUsedMb: number }>(await callOverRest(server, person, 'whoami')).storageUsedMb
}

async function reprocess(person: Person, itemId: string): Promise<string> {
  return unwrap<{ job: { id: string } }>(await callOverRest(server, person, 'reprocess_item', { itemId })).job.id
}

describe('reprocessing a book whose file gives the same pages', () => {
  const script: Script = {
    info: { title: 'A Script' },
    steps: [{ do: 'pages', count: 40, content: 'word '.repeat(400), label: 'i' }],
    toc: [{ title: 'One', page: 1, level: 1 }],
  }

  test('twenty times creates no version and stores nothing', async () => {
    const person = await server.createPerson()
    const { itemId, jobId } = await uploadScript(server, person, script)
    const worker = createManualWorker(server)
    await worker.run(jobId)
    const before = (await services().books.findOwned(person.id, [itemId]))[0]
    for (let n = 0; n < 20; n++) {
      const again = await reprocess(person, itemId)
      await worker.run(again)
      expect(await services().jobs.byId(person.id, again)).toMatchObject({ status: 'SUCCEEDED', errorCode: null })
    }
    expect(await services().contents.listVersions(itemId)).toHaveLength(1)
    expect(await rows('pages').countDocuments(ofBook(itemId))).toBe(40)
    expect(await rows('outlines').countDocuments(ofBook(itemId))).toBe(1)
    const [after] = await services().books.findOwned(person.id, [itemId])
    expect(after).toMatchObject({
      version: 1,
      storedBytes: before?.storedBytes,
      contentUpdatedAt: before?.contentUpdatedAt,
    })
    expect(await findListedItem(server, person, itemId)).toMatchObject({ status: 'READY', health: 'ok', pageCount: 40 })
  })

  test('creates a version if one page, one label or the table of contents differs', async () => {
    const person = await server.createPerson()
    const { itemId, jobId } = await uploadScript(server, person, script)
    const worker = createManualWorker(server)
    await worker.run(jobId)
    const folder = await createTemporaryFolder()
    const changes: Script[] = [
      { ...script, steps: [{ do: 'pages', count: 40, content: 'word '.repeat(399) + 'wort ', label: 'i' }] },
      { ...script, steps: [{ do: 'pages', count: 40, content: 'word '.repeat(400), label: 'x' }] },
      { ...script, toc: [{ title: 'Two', page: 1, level: 1 }] },
    ]
    for (const [at, changed] of changes.entries()) {
      const path = join(folder, String(at))
      await writeFile(path, JSON.stringify(changed))
      const { files } = worker.services
      const checkout: typeof files.checkout = async (...given) => ({ ...(await files.checkout(...given)), path })
      await worker.run(await reprocess(person, itemId), { files: { ...files, checkout } })
      expect((await services().books.findOwned(person.id, [itemId]))[0]?.version).toBe(at + 2)
    }
  })
})

describe('an account whose plan has 1 MB of storage', () => {
  const file = (kilobytes: number) => ({ filename: 'a.md', bytes: Buffer.alloc(kilobytes * kilobyte, 'x') })

  test('reserves no more than that with many concurrent uploads', async () => {
    const person = await small()
    const started = await Promise.allSettled(Array.from({ length: 12 }, () => reserveUpload(server, person, file(300))))
    expect(started.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(3)
    expect(await usedMb(person)).toBeLessThanOrEqual(1)
  })

  test('is refused an upload that does not fit, and can make it after deleting a book', async () => {
    const person = await small()
    const first = await sendFile(server, person, file(700))
    expect((await confirmUpload(server, person, first)).status).toBe(200)
    const upload = { filename: 'b.md', size: 700 * kilobyte, contentType: 'text/markdown' }
    const answer = await callOverRest(server, person, 'start_upload', upload)
    expect(answer).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT_EXCEEDED', storageMb: 1 } })
    expect(answer.body.error).toMatch(/storage is full: 1.4 of 1 MB.*Delete books, remove earlier versions.*or upgrade/)
    await callOverRest(server, person, 'delete_items', { ids: [first.itemId] })
    expect((await callOverRest(server, person, 'start_upload', upload)).ok).toBe(true)
  })

  test('cannot fill the server with versions of one book', async () => {
    const person = await small()
    const created = await callOverRest(server, person, 'create_markdown_item', { title: 'A', content: '# A\n' })
    const itemId = unwrap<{ id: string }>(created).id
    let refused = null
    for (let n = 0; n < 8 && !refused; n++) {
      const content = `# ${n}\n${'x'.repeat(200 * kilobyte)}\n`
      const answer = await callOverRest(server, person, 'put_item_content', { id: itemId, content })
      if (!answer.ok) refused = answer
    }
    expect(refused).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT_EXCEEDED' } })
    expect(await usedMb(person)).toBeLessThanOrEqual(1)
  })

  test('cannot fill it with a file whose text is larger than the file', async () => {
    const person = await small()
    const script = { steps: [{ do: 'pages', count: 20, content: 'x'.repeat(100_000) }] } satisfies Script
    const { itemId, jobId } = await uploadScript(server, person, script)
    await createManualWorker(server).run(jobId)
    expect(await services().jobs.byId(person.id, jobId)).toMatchObject({ status: 'FAILED', errorCode: 'STORAGE_FULL' })
    expect(await rows('pages').countDocuments(ofBook(itemId))).toBe(0)
  })

  test.for(transports)('is told over %s when it creates a book', async ([name, transport]) => {
    const person = await small()
    for (let n = 0; n < 2; n++) {
      const content = 'x'.repeat(510 * kilobyte)
      expect((await callOverRest(server, person, 'create_markdown_item', { title: 'A', content })).ok).toBe(true)
    }
    const answer = await transport.call(server, person, 'create_markdown_item', {
      title: 'B',
      content: 'x'.repeat(1000),
    })
    expect((await callOverRest(server, person, 'whoami')).body).toMatchObject({ storageMb: 1, storageUsedMb: 1 })
    const full = await transport.call(server, person, 'create_markdown_item', {
      title: 'C',
      content: 'x'.repeat(100 * kilobyte),
    })
    expect(answer.ok).toBe(true)
    expectRefusal(full, name, { status: 403, code: 'PLAN_LIMIT_EXCEEDED', message: /storage is full/ })
  })
})

test('a small file cannot unpack to more than 20 MB of text', async () => {
  const person = await server.createPerson()
  const script = { steps: [{ do: 'pages', count: 60, content: 'x'.repeat(900_000) }] } satisfies Script
  const { itemId, jobId } = await uploadScript(server, person, script)
  await createManualWorker(server).run(jobId)
  const job = await services().jobs.byId(person.id, jobId)
  expect(job).toMatchObject({ status: 'FAILED', errorCode: 'TOO_LARGE', error: expect.stringMatching(/50 times/) })
  expect(await rows('pages').countDocuments(ofBook(itemId))).toBe(0)
})

test('a replaced table of contents of the owner is removed', async () => {
  const person = await server.createPerson()
  const created = await callOverRest(server, person, 'create_markdown_item', { title: 'A', content: '# A\n\ntext\n' })
  const itemId = unwrap<{ id: string }>(created).id
  for (let n = 0; n < 10; n++) {
    await callOverRest(server, person, 'enrich_item', { itemId, toc: [{ title: `Chapter ${n}`, page: 1 }] })
  }
  expect(await rows('outlines').countDocuments(ofBook(itemId))).toBe(2)
  expect((await callOverRest(server, person, 'get_table_of_contents', { ids: [itemId] })).text).toContain('Chapter 9')
})

test('a migration counts the books of an earlier version', async () => {
  const person = await server.createPerson()
  const content = `# A\n${'x'.repeat(kilobyte * kilobyte)}`.slice(0, 900_000)
  await callOverRest(server, person, 'create_markdown_item', { title: 'A', content })
  const before = await usedMb(person)
  const { db } = server.running.opened.database
  await db.collection('books').updateMany({ ownerId: person.id }, { $unset: { storedBytes: '' } })
  await db.collection('contents').updateMany({ createdBy: person.id }, { $unset: { ownBytes: '' } })
  await services().books.removeCounts(person.id)
  expect(await usedMb(person)).toBe(0)
  expect(await migrate(migratingOf(server.running.opened))).toBe(true)
  expect(await usedMb(person)).toBe(before)
})

test('new accounts have the plan FREE if sign-up is open', () => {
  expect(readConfig({ LECTERN_SIGNUP: 'open' }).defaultPlan).toBe('FREE')
  expect(readConfig({ LECTERN_SIGNUP: 'invite' }).defaultPlan).toBe('SELF_HOSTED')
  expect(readConfig({ LECTERN_SIGNUP: 'open', LECTERN_DEFAULT_PLAN: 'PRO' }).defaultPlan).toBe('PRO')
})

test.for([
  ['reprocess_item', 30],
  ['enrich_item', 60],
  ['get_item_content', 120],
] as const)('%s is limited to %i calls a minute', async ([tool, limit]) => {
  const person = await server.createPerson()
  const created = await callOverRest(server, person, 'create_markdown_item', { title: 'A', content: '# A\n\ntext\n' })
  const itemId = unwrap<{ id: string }>(created).id
  const input = tool === 'get_item_content' ? { id: itemId } : { itemId }
  const statuses: number[] = []
  for (let n = 0; n <= limit; n++) statuses.push((await callOverRest(server, person, tool, input)).status)
  expect(statuses.indexOf(429)).toBe(limit)
})
