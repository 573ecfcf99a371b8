import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { embedNextBook } from '../../src/embeddings/embed-next-book.ts'
import { embedderTimes } from '../../src/embeddings/embedder.ts'
import { markOutdated } from '../../src/embeddings/mark-book.ts'
import { embeddingTimes, removeStrayParts, requeueDue } from '../../src/embeddings/worker.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { startEmbeddingServer, type EmbeddingServer } from '../support/embedding-server.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { mcp } from '../support/transports.ts'
import { callOverRest } from '../support/uploads.ts'

let service: EmbeddingServer
let server: TestServer
let person: Person

// The server runs no worker, so each test decides when pages get their vectors.
beforeAll(async () => {
  service = await startEmbeddingServer()
  server = await startTestServer({
    LECTERN_ROLE: 'web',
    LECTERN_EMBEDDINGS_URL: service.url,
    LECTERN_EMBEDDINGS_MODEL: 'small',
    LECTERN_EMBEDDINGS_KEY: 'sk-secret',
  })
})
afterAll(async () => {
  await server.close()
  await service.close()
})
beforeEach(async () => {
  service.mode = {}
  service.requests.length = 0
  person = await server.createPerson()
})

interface EmbeddedRow {
  _id: string
  model: string
  dimensions: number
}

const log = { debug() {}, info() {}, warn() {}, error() {} }
const times = { ...embeddingTimes, ...embedderTimes }
const { signal } = new AbortController()

function services(changed: object = {}) {
  const { services: opened } = server.running.opened
  if (opened.embedder === null) throw new Error('no service is configured')
  return { ...opened, embedder: opened.embedder, log, ...changed }
}

/** Runs the worker's steps until the queue is empty. Returns how often it took a book. */
async function embedAll(changed: object = {}): Promise<number> {
  let taken = 0
  await requeueDue(services(changed))
  while (await embedNextBook(services(changed), times, signal)) taken++
  return taken
}

async function addBook(owner: Person, title: string, pages: readonly string[]): Promise<string> {
  const content = pages.map((text, at) => `# Part ${at + 1}\n\n${text}\n`).join('\n')
  const { body } = await callOverRest(server, owner, 'create_markdown_item', { title, content })
  return body.id
}

async function search(by: Person, query: string, more: object = {}) {
  const { body } = await callOverRest(server, by, 'search_items', { query, ...more })
  return body
}

const found = async (by: Person, query: string, more: object = {}) =>
  (await search(by, query, more)).items.map(({ id }: { id: string }) => id)

const sentTexts = () => service.requests.flatMap(({ texts }) => texts)
const partsOf = (id: string) =>
  server.running.opened.database.db.collection('embeddingParts').countDocuments({ bookId: id })

describe('a search by meaning', () => {
  test('finds a page without any of the words, with a passage, its position and its URL', async () => {
    const id = await addBook(person, 'Roads', ['The automobile went down the road.', 'Bread is in the oven.'])
    expect(await found(person, 'motorcar')).toEqual([])
    await embedAll()
    const { items, total } = await search(person, 'motorcar', { detail: 'detailed' })
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({ id, matched: 0, title: 'Roads' })
    expect(items[0].hits[0]).toMatchObject({
      page: 1,
      chapter: ['Part 1'],
      snippet: 'The automobile went down the road.',
      url: expect.stringContaining(`/books/${id}`),
    })
    const { body } = await mcp.call(server, person, 'search', { query: 'motorcar' })
    expect(body.results.map((each: { id: string }) => each.id)).toEqual([`${id}:1`])
  })

  test('ranks pages found by both words and meaning first, and keeps those found by words only', async () => {
    const both = await addBook(person, 'One', ['A car and a car.'])
    const meant = await addBook(person, 'Two', ['An automobile.'])
    const written = await addBook(person, 'Three', [`car ${'and other things '.repeat(60)}`])
    await embedAll()
    const ids = await found(person, 'car')
    expect(ids[0]).toBe(both)
    expect(ids.toSorted()).toEqual([both, meant, written].toSorted())
  })

  test('continues in further parts without repeating a book', async () => {
    for (let at = 0; at < 5; at++) await addBook(person, `Book ${at}`, [at % 2 ? 'A ship.' : 'A vessel.'])
    await embedAll()
    const first = await search(person, 'ship', { limit: 2 })
    const second = await search(person, 'ship', { limit: 2, cursor: first.nextCursor })
    const third = await search(person, 'ship', { limit: 2, cursor: second.nextCursor })
    const ids = [first, second, third].flatMap(({ items }) => items.map(({ id }: { id: string }) => id))
    expect(new Set(ids).size).toBe(5)
    expect(third.nextCursor).toBeUndefined()
  })

  test('respects filters, and matches phrases, -words and prefixes literally', async () => {
    const own = await addBook(person, 'Harbour', ['The vessel lies there.'])
    const other = await addBook(person, 'Town', ['The boat lies there.'])
    await embedAll()
    expect((await found(person, 'ship')).toSorted()).toEqual([own, other].toSorted())
    expect(await found(person, `ship in:${own}`)).toEqual([own])
    expect(await found(person, 'ship title:town')).toEqual([])
    expect(await found(person, 'lies ship title:town')).toEqual([other])
    expect(await found(person, 'ship', { before: '2020' })).toEqual([])
    for (const query of ['"ship"', 'ship -boat', 'shi*']) expect(await found(person, query)).toEqual([])
    expect(sentTexts()).not.toContain('lies ship title:town')
  })

  test('finds similar pages with stored vectors, without a request to the service', async () => {
    const content = '# Alpha\n\nPhysician here.\n\n# Beta\n\nBread.\n\n# Gamma\n\nMedic elsewhere.\n'
    const { id } = (await callOverRest(server, person, 'create_markdown_item', { title: 'Three', content })).body
    const pagesLike = async () => {
      const { body } = await callOverRest(server, person, 'search_items', { like: `${id}:1` })
      return body.items.flatMap(({ hits }: { hits: { page: number }[] }) => hits.map(({ page }) => page))
    }
    expect(await pagesLike()).not.toContain(3)
    await embedAll()
    service.requests.length = 0
    expect(await pagesLike()).toContain(3)
    expect(await pagesLike()).not.toContain(1)
    expect(service.requests).toEqual([])
  })

  test('uses words only while the service is unavailable', async () => {
    const written = await addBook(person, 'One', ['The monarch reigns.'])
    await addBook(person, 'Two', ['The king reigns.'])
    await embedAll()
    service.mode = { status: 500 }
    expect(await found(person, 'monarch and his horse')).toEqual([written])
  })
})

describe('what is found by meaning', () => {
  test('never come from a library that the caller cannot read', async () => {
    const stranger = await server.createPerson()
    await addBook(stranger, 'Secret', ['The physician knows.'])
    const own = await addBook(person, 'Mine', ['A medic.'])
    await embedAll()
    expect(await found(person, 'doctor')).toEqual([own])
    expect(await found(stranger, 'doctor')).not.toContain(own)
  })

  test('never come from a previewed or deleted book', async () => {
    const id = await addBook(person, 'Mine', ['The physician knows.'])
    await embedAll()
    const { services: opened } = server.running.opened
    const reader = await server.createPerson({ plan: 'FREE' })
    await opened.books.change(person.id, id, { set: { proOnly: true } })
    // This row belongs to no listing. It is removed before the book is deleted.
    await opened.subscriptions.add({
      id: `${reader.id}:${id}`,
      accountId: reader.id,
      itemId: id,
      listingId: 'none',
      ownerId: person.id,
      createdAt: new Date(),
    })
    expect(await found(reader, 'doctor')).toEqual([])
    expect(await found(person, 'doctor')).toEqual([id])
    await opened.books.change(person.id, id, { set: { proOnly: false } })
    expect(await found(reader, 'doctor')).toEqual([id])
    await server.running.opened.database.db.collection('subscriptions').deleteMany({ itemId: id })
    await callOverRest(server, person, 'delete_items', { ids: [id] })
    expect(await found(person, 'doctor')).toEqual([])
    expect(await partsOf(id)).toBe(0)
  })
})

describe('vectors', () => {
  test('are created once for each stored page: an edit sends only the new page', async () => {
    const id = await addBook(person, 'Edited', ['A ship.', 'Bread.', 'A king.'])
    await embedAll()
    expect(sentTexts()).toHaveLength(3)
    await callOverRest(server, person, 'put_item_page', { id, pageNum: 2, content: '# Part 2\n\nA physician.\n' })
    await callOverRest(server, person, 'get_item_content', { id })
    expect(await found(person, 'loaf')).toEqual([])
    service.requests.length = 0
    await embedAll()
    expect(sentTexts()).toEqual([expect.stringContaining('A physician.')])
    expect((await search(person, 'doctor')).items[0].hits[0].page).toBe(2)
    expect(await found(person, 'vessel')).toEqual([id])
  })

  test('are kept when a title changes', async () => {
    const id = await addBook(person, 'Before', ['A ship.'])
    await embedAll()
    service.requests.length = 0
    await callOverRest(server, person, 'enrich_item', { itemId: id, title: 'After', confidence: 0.9 })
    await search(person, 'anything at all')
    expect(await embedAll()).toBe(0)
  })

  test('are joined after edits have fragmented them', async () => {
    const id = await addBook(person, 'Grows', ['A ship.'])
    for (let at = 0; at < 8; at++) {
      await callOverRest(server, person, 'append_item_pages', { id, content: `# More ${at}\n\nA physician.` })
      await search(person, 'nothing')
      await embedAll()
    }
    expect(await partsOf(id)).toBeLessThan(6)
    const { items } = await search(person, 'vessel')
    expect([items[0].id, items[0].hits[0].page]).toEqual([id, 1])
  })

  test('of another model are created again, and the former ones are not compared', async () => {
    const id = await addBook(person, 'Model', ['The physician came.'])
    await embedAll()
    const { embedder } = services()
    const other = { ...embedder, model: 'large' }
    service.mode = { dimensions: 24 }
    await markOutdated(services({ embedder: other }))
    await embedAll({ embedder: other })
    const row = await server.running.opened.database.db.collection<EmbeddedRow>('embeddings').findOne({ _id: id })
    expect([row?.model, row?.dimensions, await partsOf(id)]).toEqual(['large', 24, 1])
    expect(await found(person, 'doctor')).toEqual([])
    service.mode = {}
    await markOutdated(services())
    await embedAll()
    expect(await found(person, 'doctor')).toEqual([id])
  })

  test('are also created for books from before the service was configured', async () => {
    const id = await addBook(person, 'Old', ['The physician came.'])
    await server.running.opened.database.db.collection('embeddings').deleteMany({ ownerId: person.id })
    expect(await embedAll()).toBe(0)
    await markOutdated(services())
    await embedAll()
    expect(await found(person, 'doctor')).toEqual([id])
  })

  test('are computed for the books of accounts in turn', async () => {
    await embedAll()
    const other = await server.createPerson()
    const books = []
    for (const title of ['One', 'Two', 'Three']) books.push(await addBook(person, title, ['A ship.']))
    const late = await addBook(other, 'Late', ['A king.'])
    for (let turn = 0; turn < 2; turn++) await embedNextBook(services(), times, signal)
    expect(await partsOf(late)).toBe(1)
    const counts = await Promise.all(books.map(partsOf))
    expect(counts.toSorted()).toEqual([0, 0, 1])
    expect(await embedAll()).toBe(2)
  })

  test('wait while the service is unavailable; /readyz, metrics and doctor report their number', async () => {
    await addBook(person, 'Waiting', ['A ship.', 'A king.'])
    service.mode = { status: 401 }
    await embedNextBook(services(), times, signal)
    const ready = await (await fetch(`${server.baseUrl}/readyz`)).json()
    expect(ready).toEqual({ ok: true, embeddings: { waitingPages: 2 } })
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text()
    expect(metrics).toContain('lectern_embeddings_waiting_pages 2')
    expect(metrics).toMatch(/lectern_embeddings_requests_total\{kind="pages",outcome="failed"\} \d/)
    const { services: opened, database } = server.running.opened
    const { checks } = await runChecks({ db: database.db, services: opened, deep: false })
    expect(checks.find(({ name }) => name === 'embeddings')).toMatchObject({
      ok: true,
      detail: expect.stringContaining('2 pages wait'),
    })
    service.mode = {}
    // After half a minute the service is tried again.
    await embedAll({ now: () => new Date(Date.now() + 60_000) })
    expect(await opened.embeddings.countWaiting()).toBe(0)
  })

  test('stored by a worker that then died are removed, and another worker continues', async () => {
    const id = await addBook(
      person,
      'Crash',
      Array.from({ length: 70 }, (_, at) => `Page ${at} of a ship.`),
    )
    const { embeddings } = server.running.opened.services
    const dying = { ...embeddings, save: () => Promise.reject(new Error('died')), release: () => Promise.resolve() }
    let writes = 0
    const afterFirst = {
      ...dying,
      save: (...progress: Parameters<typeof embeddings.save>) =>
        writes++ === 0 ? embeddings.save(...progress) : Promise.reject(new Error('died')),
    }
    await embedNextBook(services({ embeddings: afterFirst }), times, signal)
    expect(await embedAll()).toBe(0)
    const later = { now: () => new Date(Date.now() + 3_600_000) }
    await embedAll(later)
    await removeStrayParts(services(later))
    expect(await partsOf(id)).toBe(1)
    expect((await search(person, 'vessel')).items[0].id).toBe(id)
  })
})

describe('an owner', () => {
  test('who switches it off: nothing is sent any more, existing vectors are removed, and switching it on creates them again', async () => {
    const id = await addBook(person, 'Private', ['The physician came.'])
    await embedAll()
    const off = await callOverRest(server, person, 'change_meaning_search', { enabled: false })
    expect(off.body).toEqual({ enabled: false, available: true })
    expect(await partsOf(id)).toBe(0)
    service.requests.length = 0
    const second = await addBook(person, 'Private too', ['A medic.'])
    await markOutdated(services())
    await embedAll()
    expect(sentTexts()).toEqual([])
    expect(await found(person, 'doctor')).toEqual([])
    expect((await callOverRest(server, person, 'get_meaning_search')).body).toEqual({ enabled: false, available: true })
    await callOverRest(server, person, 'change_meaning_search', { enabled: true })
    await embedAll()
    expect((await found(person, 'doctor')).toSorted()).toEqual([id, second].toSorted())
  })

  test('who switches it off during embedding leaves nothing behind', async () => {
    const id = await addBook(person, 'Private', ['The physician came.'])
    const { embeddings } = server.running.opened.services
    const switching = {
      ...embeddings,
      async writePart(part: Parameters<typeof embeddings.writePart>[0]) {
        await callOverRest(server, person, 'change_meaning_search', { enabled: false })
        await embeddings.writePart(part)
      },
    }
    await embedNextBook(services({ embeddings: switching }), times, signal)
    expect(await partsOf(id)).toBe(0)
    expect(await embeddings.listOwned(person.id)).toEqual([])
  })
})
