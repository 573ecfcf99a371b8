import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseDeletedItem } from '../../src/books/erase-deleted-item.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import {
  findReadingPosition,
  findReadingPositions,
  listOpenReadings,
  saveReadingPosition,
} from '../../src/reading/reading-positions.ts'
import { createReadingPositionStore } from '../../src/reading/reading-position-store.ts'
import { openVersion } from '../../src/reading/open-version.ts'
import { unsubscribeMarketplace } from '../../src/marketplace/unsubscribe-marketplace.ts'
import { putItemContent } from '../../src/writing/put-item-content.ts'
import { contextOf } from '../support/context.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { openRecordingStore, type RecordingStore } from '../support/recording-store.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TINY', itemLimit: 1 })) })

/** A person with a book of six pages. */
async function reader() {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const id = await makeBook(server, person, { title: 'Six', content: markdownPages(6) })
  const open = async (page: number, book = id) => saveReadingPosition(ctx, await openVersion(ctx, book), page)
  return { person, ctx, id, open }
}

describe('a reading position', () => {
  test('is the page that was opened last, for each book and reader', async () => {
    const [ada, bob] = [await reader(), await reader()]
    const other = await makeBook(server, ada.person, { content: markdownPages(2) })
    await ada.open(2)
    await ada.open(5)
    await ada.open(1, other)
    expect(await findReadingPosition(ada.ctx, ada.id)).toEqual({ page: 5, of: 6, version: 1, at: expect.any(Date) })
    const positions = await findReadingPositions(ada.ctx, [ada.id, other, bob.id])
    expect([...positions].map(([id, { page }]) => [id, page]).toSorted()).toEqual(
      [
        [ada.id, 5],
        [other, 1],
      ].toSorted(),
    )
    expect(await findReadingPosition(bob.ctx, ada.id)).toBeNull()
  })

  test('is removed when its book is erased', async () => {
    const { ctx, id, open } = await reader()
    await open(3)
    await deleteItems(ctx, { ids: [id] })
    expect(await listOpenReadings(ctx, 3)).toEqual([])
    await eraseDeletedItem(ctx, { itemId: id })
    expect(await findReadingPosition(ctx, id)).toBeNull()
  })
})

describe('the books that a reader has begun and not finished', () => {
  const listed = async (ctx: Awaited<ReturnType<typeof contextOf>>, limit = 3) =>
    (await listOpenReadings(ctx, limit)).map(({ book, page, of }) => [book.title, page, of])

  test('are listed most recent first, up to the limit', async () => {
    const { person, ctx } = await reader()
    for (const title of ['A', 'B', 'C']) {
      const id = await makeBook(server, person, { title, content: markdownPages(4) })
      saveReadingPosition(ctx, await openVersion(ctx, id), 2)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(await listed(ctx, 2)).toEqual([
      ['C', 2, 4],
      ['B', 2, 4],
    ])
  })

  test('exclude finished, shortened, locked and deleted books', async () => {
    const { person, ctx, id, open } = await reader()
    await open(6)
    expect(await listed(ctx)).toEqual([])
    await open(4)
    expect(await listed(ctx)).toEqual([['Six', 4, 6]])
    await putItemContent(ctx, { id, content: markdownPages(3) })
    expect(await listed(ctx)).toEqual([])
    await open(1)
    expect(await listed(ctx)).toEqual([['Six', 1, 3]])

    const newer = await makeBook(server, person, { title: 'Newer', content: markdownPages(4) })
    await open(2, newer)
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    expect(await listed(await contextOf(server, person))).toEqual([['Six', 1, 3]])
    await deleteItems(ctx, { ids: [id] })
    expect(await listed(await contextOf(server, person))).toEqual([['Newer', 2, 4]])
  })

  test('disappear when the access to them ends', async () => {
    const { ctx, person, open } = await reader()
    const { listingId, itemId } = await publishBook(server, await server.createPerson(), { content: markdownPages(3) })
    await subscribe(server, person, listingId)
    await open(2, itemId)
    expect(await listed(ctx)).toHaveLength(1)
    await unsubscribeMarketplace(ctx, { listingId })
    expect(await listed(await contextOf(server, person))).toEqual([])
  })
})

describe('the cost of positions', () => {
  let store: OpenStore
  let watched: RecordingStore
  beforeAll(async () => {
    store = await openEmbedded()
    watched = await openRecordingStore(store.url, 'positions')
  })
  afterAll(async () => {
    await watched.close()
    await store.close()
  })

  const failed = (error: unknown) => expect.fail(`not written: ${error}`)
  const position = (page: number, at = 0) => ({ page, of: 9, version: 1, at: new Date(1_000_000 + at) })

  test('many pages within a moment are one write, and the same page again is none', async () => {
    const positions = createReadingPositionStore(watched.db, { onError: failed })
    const turn = () =>
      watched.record(async () => {
        for (let page = 1; page <= 9; page++) positions.save('ada', 'book', position(page, page))
        positions.save('bob', 'book', position(1))
        await positions.flush()
      })
    expect((await turn()).map(({ name, command }) => [name, command['updates'].length])).toEqual([['update', 2]])
    const again = await watched.record(async () => {
      positions.save('ada', 'book', position(9, 60_000))
      await positions.flush()
    })
    expect(again).toEqual([])
    const later = await watched.record(async () => {
      positions.save('ada', 'book', position(9, 20 * 60_000))
      await positions.flush()
    })
    expect(later).toHaveLength(1)
    const asked = await watched.record(() =>
      Promise.all([positions.find('ada', ['book', 'none']), positions.find('bob', ['book'])]),
    )
    expect(asked.map(({ name }) => name)).toEqual(['find'])
  })

  test('the later position wins, whichever process writes last', async () => {
    const [one, other] = [0, 1].map(() => createReadingPositionStore(watched.db, { onError: failed }))
    one?.save('cyd', 'book', position(7, 70))
    await one?.flush()
    other?.save('cyd', 'book', position(3, 30))
    await other?.flush()
    expect((await one?.find('cyd', ['book']))?.get('book')).toMatchObject({ page: 7 })
  })

  test('a position that could not be written is written the next time', async () => {
    const errors: unknown[] = []
    const broken = { ...watched.db, collection: (name: string) => watched.db.collection(name) }
    const rows = watched.db.collection('readingPositions')
    let fails = true
    const failing = new Proxy(rows, {
      get: (target, name) =>
        name === 'bulkWrite' && fails
          ? () => Promise.reject(new Error('down'))
          : typeof Reflect.get(target, name) === 'function'
            ? Reflect.get(target, name).bind(target)
            : Reflect.get(target, name),
    })
    broken.collection = () => failing
    const positions = createReadingPositionStore(broken as never, { onError: (error) => errors.push(error) })
    positions.save('dan', 'book', position(4))
    await positions.flush()
    expect(errors).toHaveLength(1)
    fails = false
    positions.save('dan', 'book', position(4, 1))
    await positions.flush()
    expect((await positions.find('dan', ['book'])).get('book')).toMatchObject({ page: 4 })
  })
})
