import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyBins } from '../../src/books/bin.ts'
import { send } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library, type Restarted } from '../support/kill-at-every-step.ts'
import { smallBookPages, smallBooks } from '../support/small-books.ts'
import {
  unwrap,
  confirmUpload,
  importFile,
  waitForJobEnd,
  findListedItem,
  readPageTexts,
  putFile,
  reserveUpload,
  sha256,
  type JobBody,
} from '../support/uploads.ts'

// Each step starts a server twice; all steps take half a minute on an idle machine.
const limitMs = 600_000

describe('a server that is killed after any step', () => {
  let library: Library

  beforeAll(async () => {
    library = await makeLibrary()
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const jobsOf = async (server: { baseUrl: string }) => {
    const answer = await send(server, library.key, { method: 'GET', path: '/api/v1/jobs' })
    return unwrap<{ jobs: JobBody[] }>(answer).jobs
  }

  test('of an import finishes it after its restart, with original and text', { timeout: limitMs }, async () => {
    const bytes = await smallBooks.markdown()
    const file = { filename: 'whales.md', bytes }
    const kills = await killAtEveryStep(library, {
      prepare: (baseUrl) => reserveUpload({ baseUrl }, library, file),
      async act(baseUrl, upload) {
        await putFile(upload.uploadUrl, bytes)
        const { job } = unwrap<{ job: { id: string } }>(await confirmUpload({ baseUrl }, library, upload))
        await waitForJobEnd({ baseUrl }, library, job.id)
      },
      async recover(server, upload) {
        const address = new URL(new URL(upload.uploadUrl).pathname, server.baseUrl).href
        expect([200, 409]).toContain((await putFile(address, bytes)).status)
        expect([200, 409]).toContain((await confirmUpload(server, library, upload)).status)
        await eventually(async () => expect(await jobsOf(server)).toHaveLength(1))
        const [job] = await jobsOf(server)
        expect(await waitForJobEnd(server, library, job?.id ?? '')).toMatchObject({ status: 'SUCCEEDED' })
        await expectWhole(server, upload, bytes)
      },
    })
    expect(kills).toBeGreaterThan(20)
  })

  async function expectWhole(
    server: Restarted,
    { itemId, storageKey }: { itemId: string; storageKey: string },
    bytes: Uint8Array,
  ): Promise<void> {
    expect(await findListedItem(server, library, itemId)).toMatchObject({ status: 'READY', health: 'ok', pageCount: 2 })
    const pages = await readPageTexts(server, library, itemId)
    for (const [at, text] of smallBookPages.entries()) expect(pages[at]).toContain(text)
    const { files, books } = server.running.opened.services
    const kept = await files.checkout(storageKey.replace('incoming', 'originals'))
    expect(kept.sha256).toBe(sha256(bytes))
    const [book] = await books.findOwned(library.id, [itemId])
    expect(book?.original?.sha256).toBe(kept.sha256)
    expect(await files.head(storageKey)).toBeNull()
  }

  test('of a create has one complete book when the request is repeated', { timeout: limitMs }, async () => {
    const content = '# One\n\nwhales\n# Two\n\nships\n'
    const create = (baseUrl: string) =>
      send({ baseUrl }, library.key, {
        method: 'POST',
        path: '/api/v1/items/markdown',
        body: { title: 'Written', content },
        headers: { 'Idempotency-Key': 'once' },
      })
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await create(baseUrl)),
      async recover(server) {
        const { services } = server.running.opened
        // The first request counts as running for a minute.
        services.now = () => new Date(Date.now() + 2 * 60_000)
        const { id } = unwrap<{ id: string }>(await create(server.baseUrl))
        services.now = () => new Date()
        const { items } = unwrap<{ items: object[] }>(
          await send(server, library.key, { method: 'GET', path: '/api/v1/items' }),
        )
        expect(items).toMatchObject([{ id, title: 'Written', pageCount: 2 }])
        expect((await readPageTexts(server, library, id)).join('')).toBe(content)
      },
    })
    expect(kills).toBeGreaterThan(5)
  })
})

describe('a server that is killed after any step of a delete', () => {
  let library: Library
  let itemId = ''

  beforeAll(async () => {
    library = await makeLibrary(async (server, owner) => {
      const file = { filename: 'whales.epub', bytes: await smallBooks.epub() }
      itemId = (await importFile(server, owner, file)).itemId
    })
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const remove = (baseUrl: string) =>
    send({ baseUrl }, library.key, { method: 'DELETE', path: '/api/v1/items', body: { ids: [itemId] } })

  test(
    'has the complete book in the bin, and nothing of it after the bin is emptied',
    { timeout: limitMs },
    async () => {
      const kills = await killAtEveryStep(library, {
        prepare: async () => {},
        act: async (baseUrl) => void (await remove(baseUrl)),
        async recover(server) {
          const { deleted, notFound } = unwrap<{ deleted: string[]; notFound: string[] }>(await remove(server.baseUrl))
          expect([...deleted, ...notFound]).toEqual([itemId])
          expect(await findListedItem(server, library, itemId)).toBeUndefined()
        },
        async afterCleanup(server) {
          const { database, services } = server.running.opened
          expect(await services.accounts.byId(library.id)).toMatchObject({ slots: 0, pending: [] })
          const [entry] = await services.bin.list(library.id, { after: null, limit: 10 })
          expect(entry).toMatchObject({ id: itemId, state: 'kept', book: { status: 'READY' } })
          await emptyBins({ ...services, now: () => new Date(Date.now() + 8 * 24 * 60 * 60_000) })
          for (const name of ['books', 'deletedBooks', 'contents', 'pages', 'jobs', 'uploads']) {
            expect(await database.db.collection(name).countDocuments()).toBe(0)
          }
          for await (const { key } of services.files.list('')) throw new Error(`${key} is still there`)
          expect(await services.accounts.byId(library.id)).toMatchObject({ slots: 0, pending: [] })
        },
      })
      expect(kills).toBeGreaterThan(5)
    },
  )
})

describe('a server that is killed after any step of restoring a book from the bin', () => {
  let library: Library
  let itemId = ''
  let shelf = ''

  beforeAll(async () => {
    library = await makeLibrary(async (server, owner) => {
      const file = { filename: 'whales.epub', bytes: await smallBooks.epub() }
      itemId = (await importFile(server, owner, file)).itemId
      const post = (path: string, body: object) => send(server, owner.key, { method: 'POST', path, body })
      shelf = unwrap<{ id: string }>(await post('/api/v1/shelves', { name: 'Sea' })).id
      unwrap(await post(`/api/v1/shelves/${shelf}/items`, { itemIds: [itemId] }))
      unwrap(await send(server, owner.key, { method: 'DELETE', path: '/api/v1/items', body: { ids: [itemId] } }))
    })
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const undelete = (baseUrl: string) =>
    send({ baseUrl }, library.key, { method: 'POST', path: `/api/v1/items/${itemId}/undelete` })

  test('has the complete book in the library when the request is repeated', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await undelete(baseUrl)),
      async recover(server) {
        expect(unwrap(await undelete(server.baseUrl))).toMatchObject({ id: itemId, shelves: [{ id: shelf }] })
        const pages = await readPageTexts(server, library, itemId)
        for (const [at, text] of smallBookPages.entries()) expect(pages[at]).toContain(text)
      },
      async afterCleanup(server) {
        const { database, services } = server.running.opened
        expect(await services.accounts.byId(library.id)).toMatchObject({ slots: 1, pending: [] })
        expect(await database.db.collection('deletedBooks').countDocuments()).toBe(0)
      },
    })
    expect(kills).toBeGreaterThan(5)
  })

  test(
    'has it complete in the bin or in the library if the request is not repeated',
    { timeout: limitMs },
    async () => {
      await killAtEveryStep(library, {
        prepare: async () => {},
        act: async (baseUrl) => void (await undelete(baseUrl)),
        recover: async () => {},
        async afterCleanup(server) {
          const { services } = server.running.opened
          const live = await services.books.findOwned(library.id, [itemId])
          const entry = await services.bin.find(library.id, itemId)
          expect([live.length, entry?.state]).toSatisfy(
            ([count, state]) => (count === 1 && state === undefined) || (count === 0 && state === 'kept'),
          )
          expect(await services.accounts.byId(library.id)).toMatchObject({ slots: live.length, pending: [] })
        },
      })
    },
  )
})

async function eventually(check: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await check()
    } catch (error) {
      if (attempt === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
