import { expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { openVersion } from '../../../src/reading/open-version.ts'
import { saveReadingPosition } from '../../../src/reading/reading-positions.ts'
import { contextOf } from '../../support/context.ts'
import { sendMcp } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TINY', itemLimit: 2 })) })

async function summary(person: Pick<Person, 'key'>) {
  const params = { name: 'library_summary', arguments: {} }
  const { body } = await sendMcp(server, person.key, { method: 'tools/call', params })
  return body.result
}

test('the summary of an empty library has only its limits', async () => {
  const person = await server.createPerson({ plan: 'FREE' })
  const { structuredContent, content } = await summary(person)
  expect(structuredContent).toEqual({
    tier: 'FREE',
    itemCount: 0,
    itemLimit: 20,
    monthlyReadsUsed: 0,
    monthlyReadLimit: 500,
    readyCount: 0,
    lockedCount: 0,
    pageCount: 0,
    bySourceType: { pdf: 0, epub: 0, markdown: 0 },
    needAttention: [],
    enrichmentQueueLength: 0,
    shelfCount: 0,
    shelves: [],
    recent: [],
  })
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
})

test('counts books, pages and formats, lists the newest books first, and charges no read', async () => {
  const person = await server.createPerson()
  await makeBook(server, person, { title: 'Old', content: markdownPages(3) })
  await makeBook(server, person, { title: 'New', content: markdownPages(2) })
  const [pdf] = await seedBooks(server, person, {
    count: 1,
    book: () => ({ sourceType: 'pdf', needsEnrichment: true, createdAt: new Date(0) }),
  })
  const { structuredContent } = await summary(person)
  expect(structuredContent).toMatchObject({
    itemCount: 3,
    readyCount: 3,
    pageCount: 5,
    bySourceType: { pdf: 1, epub: 0, markdown: 2 },
    enrichmentQueueLength: 1,
  })
  expect(structuredContent.recent.map(({ title }: { title: string }) => title).slice(0, 2)).toEqual(['New', 'Old'])
  expect(structuredContent.recent[2].id).toBe(pdf)
  expect(await readsUsed(server, person)).toBe(0)
})

test('says where the user stopped reading, and nothing if no book has been begun', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { title: 'Long', content: markdownPages(12) })
  expect((await summary(person)).structuredContent).not.toHaveProperty('continueReading')
  const ctx = await contextOf(server, person)
  saveReadingPosition(ctx, await openVersion(ctx, id), 7)
  expect((await summary(person)).structuredContent.continueReading).toEqual([
    { id, title: 'Long', page: 7, of: 12, at: expect.stringMatching(/^20.*Z$/) },
  ])
})

test('lists the books that need attention', async () => {
  const person = await server.createPerson()
  const empty = await makeBook(server, person, { title: 'No text yet' })
  await makeBook(server, person, { content: 'text' })
  const { structuredContent } = await summary(person)
  expect(structuredContent.needAttention).toEqual([
    { id: empty, title: 'No text yet', health: 'empty', status: 'READY' },
  ])
})

test('counts the locked books after a plan was reduced', async () => {
  const person = await server.createPerson()
  for (let i = 0; i < 5; i++) await makeBook(server, person)
  await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
  expect((await summary(person)).structuredContent).toMatchObject({ itemCount: 5, itemLimit: 2, lockedCount: 3 })
})

test('stays under 8 kB for a huge library with long titles in a dense script', async () => {
  const person = await server.createPerson()
  const text = '長'.repeat(200)
  await seedBooks(server, person, {
    count: 1000,
    book: () => ({ title: text, author: text, health: 'empty', needsEnrichment: true }),
  })
  const { content, structuredContent } = await summary(person)
  expect(structuredContent).toMatchObject({ itemCount: 1000, enrichmentQueueLength: 1000 })
  expect(structuredContent.recent).toHaveLength(10)
  expect(structuredContent.needAttention).toHaveLength(10)
  expect(Buffer.byteLength(content[0].text)).toBeLessThan(8000)
})

test('built-in books are in the lists but not in itemCount', async () => {
  const id = await makeBook(server, { id: systemOwner }, { title: 'Built in', content: 'text' })
  const person = await server.createPerson()
  const { structuredContent } = await summary(person)
  expect(structuredContent).toMatchObject({ itemCount: 0, readyCount: 1, lockedCount: 0 })
  expect(structuredContent.recent[0]).toMatchObject({ id, title: 'Built in' })
})
