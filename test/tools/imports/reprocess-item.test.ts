import { beforeAll, describe, expect, test } from 'vitest'
import { transports } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { showText, writePdf } from '../../support/pdf.ts'
import { smallBooks } from '../../support/small-books.ts'
import { callOverRest, importFile, waitForJobEnd, readPageTexts } from '../../support/uploads.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

describe.for(transports)('reprocess_item over %s', ([name, transport]) => {
  test('imports the file again; pages stay readable meanwhile, and equal ones make no new version', async () => {
    const { itemId } = await importFile(server, person, { filename: 'Again.pdf', bytes: await smallBooks.pdf() })
    const before = await readPageTexts(server, person, itemId)
    const { body } = await transport.call(server, person, 'reprocess_item', { itemId })
    expect(body).toEqual({
      item: { id: itemId, title: expect.any(String), status: 'READY' },
      job: { id: expect.any(String), status: 'PENDING' },
    })
    expect(await readPageTexts(server, person, itemId)).toEqual(before)
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ type: 'reprocess', status: 'SUCCEEDED' })
    expect(await readPageTexts(server, person, itemId)).toEqual(before)
    const read = await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '1' }] })
    expect(read.body.items[0].freshness.contentVersion).toBe(1)
  })

  test('parallel calls create one job', async () => {
    // A long book, so that the job still runs at the last call.
    const pages = Array.from({ length: 500 }, (_, page) => ({ content: showText(`Page ${page}`, { x: 72, y: 700 }) }))
    const { itemId } = await importFile(server, person, { filename: 'Once.pdf', bytes: writePdf({ pages }) })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => transport.call(server, person, 'reprocess_item', { itemId })),
    )
    const jobs = new Set(answers.map(({ body }) => body.job.id))
    expect(jobs.size).toBe(1)
    await waitForJobEnd(server, person, [...jobs][0])
  })

  test('a failed import can be tried again, and keeps its file if it fails again', async () => {
    const broken = new TextEncoder().encode('%PDF-1.7 and nothing of use after it')
    const { itemId } = await importFile(server, person, { filename: 'Broken.pdf', bytes: broken })
    const { body } = await transport.call(server, person, 'reprocess_item', { itemId })
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'FAILED', errorCode: 'BROKEN' })
    const { body: list } = await callOverRest(server, person, 'list_items')
    const item = list.items.find((one: { id: string }) => one.id === itemId)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: expect.stringMatching(/damaged/) })
  })

  test("refuses a book without a file, a built-in one and another account's", async () => {
    const written = await makeBook(server, person)
    const builtIn = await makeBook(server, { id: 'system' })
    const { itemId } = await importFile(server, person, { filename: 'Mine.pdf', bytes: await smallBooks.pdf() })
    const invalid = { status: 400, code: 'INVALID_INPUT' }
    const call3 = (id: string, who = person) => transport.call(server, who, 'reprocess_item', { itemId: id })
    expectRefusal(await call3(written), name, { ...invalid, message: /has no original file/ })
    expectRefusal(await call3(builtIn), name, { ...invalid, message: /Built-in books cannot be reprocessed/ })
    const missing = { status: 404, code: 'NOT_FOUND', message: /Item not found/ }
    expectRefusal(await call3(itemId, await server.createPerson()), name, missing)
    expectRefusal(await call3('unknown'), name, missing)
  })
})
