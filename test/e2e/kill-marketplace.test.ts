import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { send } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library, type Restarted } from '../support/kill-at-every-step.ts'
import { unwrap } from '../support/uploads.ts'

const limitMs = 240_000

describe('a server that is killed after any step', () => {
  let library: Library
  let reader: { id: string; key: string }
  let itemId = ''
  let freshId = ''
  let listingId = ''

  const post = (baseUrl: string, key: string, path: string, body: object, method = 'POST') =>
    send({ baseUrl }, key, { method, path: `/api/v1${path}`, body })

  beforeAll(async () => {
    library = await makeLibrary(async ({ baseUrl, running }, { key }) => {
      const { services } = running.opened
      const { id } = await createAccount(services, { email: 'other@lectern.example' })
      reader = { id, key: (await createApiKey(services, id, {})).key }
      const titles = ['Listed', 'Fresh']
      const made = []
      for (const title of titles)
        made.push((await post(baseUrl, key, '/items/markdown', { title, content: 'text' })).body.id)
      ;[itemId, freshId] = made as [string, string]
      listingId = (await post(baseUrl, key, '/marketplace/listings', { itemId })).body.listing.id
      await post(baseUrl, reader.key, '/shelves', { name: 'Sea' })
    })
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const add = (baseUrl: string) => post(baseUrl, reader.key, '/marketplace/subscribe', { listingId })
  const shelve = (baseUrl: string) => post(baseUrl, reader.key, '/shelves/sea/items', { itemIds: [itemId] })
  const remove = (baseUrl: string) => post(baseUrl, reader.key, '/marketplace/subscribe', { listingId }, 'DELETE')
  const slots = async ({ running }: Restarted) => (await running.opened.services.accounts.byId(reader.id))?.slots
  const subscribers = async ({ running }: Restarted) =>
    (await running.opened.services.listings.byId(listingId))?.subscriberCount

  test('of adding a book has it exactly once when the request is repeated', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await add(baseUrl)),
      async recover(server) {
        expect([200, 409]).toContain((await add(server.baseUrl)).status)
      },
      async afterCleanup(server) {
        expect([await slots(server), await subscribers(server)]).toEqual([1, 1])
      },
    })
    expect(kills).toBeGreaterThan(4)
  })

  test('of removing a book has removed it when the request is repeated', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      async prepare(baseUrl) {
        unwrap(await add(baseUrl))
        unwrap(await shelve(baseUrl))
      },
      act: async (baseUrl) => void (await remove(baseUrl)),
      async recover(server) {
        expect([200, 404]).toContain((await remove(server.baseUrl)).status)
      },
      async afterCleanup(server) {
        expect([await slots(server), await subscribers(server)]).toEqual([0, 0])
        expect(await server.running.opened.database.db.collection('placements').countDocuments()).toBe(0)
      },
    })
    expect(kills).toBeGreaterThan(5)
  })

  test('of deleting a book that others have added releases their slots', { timeout: limitMs }, async () => {
    const drop = (baseUrl: string) => post(baseUrl, library.key, '/items', { ids: [itemId] }, 'DELETE')
    const kills = await killAtEveryStep(library, {
      async prepare(baseUrl) {
        unwrap(await add(baseUrl))
        unwrap(await shelve(baseUrl))
      },
      act: async (baseUrl) => void (await drop(baseUrl)),
      recover: async ({ baseUrl }) => void (await drop(baseUrl)),
      async afterCleanup(server) {
        expect(await slots(server)).toBe(0)
        const { db } = server.running.opened.database
        for (const name of ['placements', 'subscriptions', 'listings'])
          expect([name, await db.collection(name).countDocuments()]).toEqual([name, 0])
      },
    })
    expect(kills).toBeGreaterThan(8)
  })

  test('of publishing has one listing with its terms when the request is repeated', { timeout: limitMs }, async () => {
    const publish = (baseUrl: string) =>
      post(baseUrl, library.key, '/marketplace/listings', { itemId: freshId, proOnly: true })
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await publish(baseUrl)),
      async recover(server) {
        expect([201, 409]).toContain((await publish(server.baseUrl)).status)
      },
      async afterCleanup(server) {
        const { body } = await send(server, null, { method: 'GET', path: '/api/marketplace/browse?search=fresh' })
        expect(body).toMatchObject({ total: 1, listings: [{ proOnly: true, item: { title: 'Fresh' } }] })
      },
    })
    expect(kills).toBeGreaterThan(2)
  })

  test('of withdrawing has notified every reader exactly once', { timeout: limitMs }, async () => {
    const withdraw = (baseUrl: string) => post(baseUrl, library.key, `/marketplace/listings/${listingId}`, {}, 'DELETE')
    const kills = await killAtEveryStep(library, {
      prepare: async (baseUrl) => void unwrap(await add(baseUrl)),
      act: async (baseUrl) => void (await withdraw(baseUrl)),
      recover: async ({ baseUrl }) => void (await withdraw(baseUrl)),
      async afterCleanup({ baseUrl }) {
        const path = '/api/v1/user/notifications?type=listing_withdrawn'
        const { body } = await send({ baseUrl }, reader.key, { method: 'GET', path })
        expect(body.notifications).toHaveLength(1)
      },
    })
    expect(kills).toBeGreaterThan(2)
  })
})
