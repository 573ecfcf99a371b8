import { beforeAll, expect, test } from 'vitest'
import type { Recognition } from '../../../src/imports/ocr/recognition-store.ts'
import { emptyPageCounts } from '../../../src/text/page-counts.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { sendMcp } from '../../support/transports.ts'
import { callOverRest, unwrap } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const stateOf = async (itemId: string) => unwrap(await callOverRest(server, person, 'get_recognition', { itemId }))

/** Creates a book of which ten pages are waiting for recognition. */
async function scannedBook(): Promise<string> {
  const itemId = await makeBook(server, person)
  const at = new Date('2026-03-01T10:00:00Z')
  const waiting = Array.from({ length: 10 }, (_, index) => index + 1)
  const row: Recognition = {
    itemId,
    accountId: person.id,
    runId: 'run',
    status: 'WAITING',
    waiting,
    garbled: [],
    pending: [],
    total: 10,
    done: 0,
    recognised: 0,
    skipped: 3,
    stopped: null,
    counts: emptyPageCounts(),
    language: null,
    publications: 0,
    publishedAt: at,
    stale: [],
    attempts: 0,
    claims: 0,
    fence: null,
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
  }
  await server.running.opened.services.recognitions.put(row)
  return itemId
}

test('a book whose pages all have text needs none', async () => {
  const itemId = await makeBook(server, person)
  const counts = { pages: 0, pagesDone: 0, pagesRecognised: 0, pagesSkipped: 0 }
  expect(await stateOf(itemId)).toEqual({ itemId, status: 'none', ...counts, updatedAt: null })
})

test('a scanned book waits, is being recognised, and is done', async () => {
  const itemId = await scannedBook()
  const { recognitions, now } = server.running.opened.services
  const begin = { itemId, status: 'waiting', pages: 10, pagesDone: 0, pagesRecognised: 0, pagesSkipped: 3 }
  expect(await stateOf(itemId)).toEqual({ ...begin, updatedAt: '2026-03-01T10:00:00.000Z' })
  const leaseUntil = new Date(now().getTime() + 60_000)
  expect(await recognitions.claim(itemId, { fence: 'worker', now: now(), leaseUntil })).not.toBeNull()
  await recognitions.update(itemId, 'worker', { done: 4, recognised: 3, waiting: [5, 6, 7, 8, 9, 10] })
  expect(await stateOf(itemId)).toMatchObject({ status: 'running', pagesDone: 4, pagesRecognised: 3 })
  await recognitions.update(itemId, 'worker', { status: 'DONE', done: 10, recognised: 8, waiting: [] })
  expect(await stateOf(itemId)).toMatchObject({ status: 'done', pages: 10, pagesDone: 10, pagesRecognised: 8 })
})

test('only the owner sees it', async () => {
  const itemId = await scannedBook()
  const stranger = await server.createPerson()
  const answer = await callOverRest(server, stranger, 'get_recognition', { itemId })
  expectRefusal(answer, 'rest', { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
  const builtIn = await makeBook(server, { id: 'system' })
  const refused = await callOverRest(server, person, 'get_recognition', { itemId: builtIn })
  expectRefusal(refused, 'rest', { status: 403, code: 'FORBIDDEN', message: /Only the owner/ })
})

test('agents are not offered it, and cannot call it by its name', async () => {
  const list = await sendMcp(server, person.key, { method: 'tools/list' })
  const names = list.body.result.tools.map(({ name }: { name: string }) => name)
  expect(names).toContain('get_figure')
  expect(names).not.toContain('get_recognition')
  const itemId = await scannedBook()
  const params = { name: 'get_recognition', arguments: { itemId } }
  const { body } = await sendMcp(server, person.key, { method: 'tools/call', params })
  expect(body.result?.structuredContent).toBeUndefined()
  expect(JSON.stringify(body)).toMatch(/get_recognition/)
  expect(JSON.stringify(body)).not.toContain('pagesDone')
})
