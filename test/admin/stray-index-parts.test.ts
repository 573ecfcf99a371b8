import { expect, test } from 'vitest'
import { repairData, runChecks } from '../../src/admin/doctor/run-checks.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { createLog } from '../../src/app/log.ts'
import { refreshStaleIndex } from '../../src/search/index/refresh-stale-index.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string; units?: unknown }>(name)
const diagnosisContext = () => {
  const { services, database } = server.running.opened
  return { db: database.db, services, deep: false }
}

async function strayParts(diagnose: typeof runChecks) {
  const { checks } = await diagnose(diagnosisContext())
  return checks.find(({ name }) => name === 'search-parts')
}

function sweepLater(): Promise<void> {
  const later = new Date(Date.now() + 11 * 60_000)
  return refreshStaleIndex({ ...server.running.opened.services, now: () => later, log: createLog('silent') })
}

async function scene() {
  const person = await server.createPerson()
  const itemId = await makeBook(server, person, { content: '# One\n\nwallaby\n' })
  const ctx = await contextOf(server, person)
  const find = async () => (await searchItems(ctx, { query: 'wallaby', limit: 10 })).items.map(({ id }) => id)
  expect(await find()).toEqual([itemId])
  // Until its row is deleted, completed work lists the parts that it has written.
  await server.running.opened.services.search.work.flush()
  return { person, ctx, itemId, find }
}

test('a repair has stray parts of the search index removed, and nothing else', async () => {
  const { person, itemId, find } = await scene()
  const stray: [string, string][] = [
    ['search_books', 'gone'],
    ['search_pages', `${itemId}:stray:000000`],
    ['search_pages', 'gone:stray:000000'],
    ['search_segments', `${person.id}:stray`],
    ['search_words', `${person.id}:stray:000000`],
  ]
  const entry = await rows('search_books').findOne({ _id: itemId })
  for (const [name, _id] of stray) await rows(name).insertOne({ ...(name === 'search_books' ? entry : {}), _id })
  expect(await strayParts(repairData)).toMatchObject({ ok: true, repaired: expect.stringMatching(/belong to no book/) })
  const left = async () => Promise.all(stray.map(([name, _id]) => rows(name).countDocuments({ _id })))
  expect(await left()).toEqual([1, 1, 1, 1, 1])
  await sweepLater()
  expect(await left()).toEqual([0, 0, 0, 0, 0])
  expect(await strayParts(runChecks)).toMatchObject({ ok: true })
  expect(await find()).toEqual([itemId])
})

test('a stray part that is in use again when its removal is due stays', async () => {
  const { itemId, find } = await scene()
  const { units = [] } = (await rows('search_books').findOne({ _id: itemId })) ?? {}
  await rows('search_books').updateOne({ _id: itemId }, { $set: { units: [] } })
  expect(await strayParts(repairData)).toMatchObject({ ok: true, repaired: expect.stringContaining(itemId) })
  await rows('search_books').updateOne({ _id: itemId }, { $set: { units } })
  await sweepLater()
  expect(await find()).toEqual([itemId])
})

test('a repair leaves the parts of a book in the bin, which may come back', async () => {
  const { ctx, itemId } = await scene()
  await deleteItems(ctx, { ids: [itemId] })
  const _id = `${itemId}:stray:000000`
  await rows('search_pages').insertOne({ _id })
  expect(await strayParts(repairData)).toMatchObject({ ok: false, detail: expect.stringContaining(itemId) })
  await sweepLater()
  expect(await rows('search_pages').countDocuments({ _id })).toBe(1)
  await rows('search_pages').deleteOne({ _id })
})
