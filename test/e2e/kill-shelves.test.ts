import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library } from '../support/kill-at-every-step.ts'
import { unwrap } from '../support/uploads.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const limitMs = 240_000

describe('a server that is killed after any step', () => {
  let library: Library
  let itemIds: string[] = []

  beforeAll(async () => {
    library = await makeLibrary(async ({ baseUrl }, { key }) => {
      const post = (path: string, body: object) =>
        send({ baseUrl }, key, { method: 'POST', path: `/api/v1${path}`, body })
      for (const title of ['One', 'Two']) await post('/items/markdown', { title, content: 'text' })
      const { items } = (await send({ baseUrl }, key, { method: 'GET', path: '/api/v1/items' })).body
      itemIds = items.map(({ id }: { id: string }) => id)
      await post('/shelves', { name: 'Sea' })
      await post('/shelves/sea/items', { itemIds })
      await post('/manuscripts', { title: 'Kept', itemId: itemIds[0] })
    })
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const request = (baseUrl: string, { path, ...rest }: { method: string; path: string; body?: object }) =>
    send({ baseUrl }, library.key, { ...rest, path: `/api/v1${path}`, headers: { 'Idempotency-Key': 'once' } })
  const create = (baseUrl: string) =>
    request(baseUrl, { method: 'POST', path: '/manuscripts', body: { title: 'Written' } })
  const archive = async (baseUrl: string) => {
    const { body } = await request(baseUrl, { method: 'GET', path: '/manuscripts' })
    await request(baseUrl, { method: 'DELETE', path: `/manuscripts/${body.manuscripts[0].id}` })
  }
  const remove = async (baseUrl: string) => {
    await request(baseUrl, { method: 'DELETE', path: '/shelves/sea' })
    await request(baseUrl, { method: 'DELETE', path: '/items', body: { ids: itemIds.slice(0, 1) } })
  }

  test(
    'of creating a manuscript has one, with one book, when the request is repeated',
    { timeout: limitMs },
    async () => {
      const kills = await killAtEveryStep(library, {
        prepare: async () => {},
        act: async (baseUrl) => void (await create(baseUrl)),
        async recover(server) {
          const { services } = server.running.opened
          // The first request counts as running for a minute.
          services.now = () => new Date(Date.now() + 2 * 60_000)
          const { manuscript } = unwrap<{ manuscript: { id: string; itemId: string } }>(await create(server.baseUrl))
          services.now = () => new Date()
          const written = (await services.manuscripts.list(library.id)).filter(({ title }) => title === 'Written')
          expect(written).toMatchObject([{ id: manuscript.id, itemId: manuscript.itemId, status: 'ACTIVE' }])
          expect(await countOwnedBooks(services.books, library.id)).toBe(3)
        },
      })
      expect(kills).toBeGreaterThan(5)
    },
  )

  test('of archiving has archived it when the request is repeated', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: archive,
      async recover(server) {
        await archive(server.baseUrl)
        expect(await server.running.opened.services.manuscripts.list(library.id)).toMatchObject([
          { status: 'ARCHIVED' },
        ])
      },
      async afterCleanup({ running }) {
        for await (const { held } of running.opened.services.manuscriptSlots.all()) expect(held).toEqual([])
      },
    })
    expect(kills).toBeGreaterThan(2)
  })

  test('of deleting a shelf and a book finally leaves nothing of them', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: remove,
      recover: ({ baseUrl }) => remove(baseUrl),
      async afterCleanup({ running }) {
        const { services, database } = running.opened
        expect(await services.shelves.list(library.id)).toEqual([])
        expect(await database.db.collection('placements').countDocuments()).toBe(0)
        expect(await services.manuscripts.list(library.id)).toMatchObject([{ status: 'ARCHIVED', title: 'Kept' }])
        expect(await countOwnedBooks(services.books, library.id)).toBe(1)
      },
    })
    expect(kills).toBeGreaterThan(5)
  })
})
