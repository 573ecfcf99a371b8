import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library } from '../support/kill-at-every-step.ts'

let library: Library
let itemId = ''

beforeAll(async () => {
  library = await makeLibrary(async ({ baseUrl }, { key }) => {
    const post = (path: string, body: object) =>
      send({ baseUrl }, key, { method: 'POST', path: `/api/v1${path}`, body })
    itemId = (await post('/items/markdown', { title: 'Whales', content: 'text' })).body.id
    await post(`/items/${itemId}/gaps`, { intent: 'How?', category: 'science', subcategory: 'Sleep' })
  })
})
afterAll(() => rm(library.directory, { recursive: true, force: true }))

/** Requests another topic, then fulfils both. */
async function askAndFulfil(baseUrl: string): Promise<void> {
  const post = (path: string, body: object) =>
    send({ baseUrl }, library.key, { method: 'POST', path: `/api/v1/items/${itemId}/gaps${path}`, body })
  await post('', { intent: 'What?', category: 'science', subcategory: 'Krill' })
  for (const subcategory of ['Sleep', 'Krill']) await post('/fulfill', { subcategory })
}

test('a server that is killed at any step of a request or its fulfilment notifies the reader exactly once', async () => {
  const kills = await killAtEveryStep(library, {
    prepare: async () => {},
    act: askAndFulfil,
    recover: ({ baseUrl }) => askAndFulfil(baseUrl),
    async afterCleanup({ running }) {
      const { services, database } = running.opened
      const rows = await database.db.collection('gaps').find().toArray()
      const answered = rows.filter(({ status }) => status === 'FULFILLED')
      // If the server was killed after the fulfilment and before its answer, the second run has requested the topic
      // again.
      expect(answered.length).toBe(rows.length)
      expect(new Set(answered.map(({ subcategory }) => subcategory))).toEqual(new Set(['Sleep', 'Krill']))
      const told = await services.notifications.list(library.id, { unread: false, type: 'gap_fulfilled', limit: 50 })
      expect(told.map(({ id }) => id).sort()).toEqual(answered.map(({ _id }) => String(_id)).sort())
      for await (const { id } of services.gaps.listStalePending(new Date(Date.now() + 3_600_000)))
        throw new Error(`${id} is not settled`)
    },
  })
  expect(kills).toBeGreaterThan(6)
}, 240_000)
