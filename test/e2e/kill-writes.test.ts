import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { reconcileWrites } from '../../src/writing/reconcile-writes.ts'
import { send, type ToolResponse } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library, type Restarted } from '../support/kill-at-every-step.ts'
import { makeBook } from '../support/make-book.ts'
import { unwrap, readPageTexts } from '../support/uploads.ts'

const limitMs = 240_000

let library: Library
let id = ''

beforeAll(async () => {
  library = await makeLibrary(async (server, owner) => {
    id = await makeBook(server, owner, { content: '# A\n# B\n' })
    await call(server.baseUrl, owner.key, ['PUT', 'pages/2', { content: '# B2\n' }])
  })
})
afterAll(() => rm(library.directory, { recursive: true, force: true }))

type Write = [method: string, end: string, body: object, headers?: Record<string, string>]

const call = (baseUrl: string, key: string, [method, end, body, headers = {}]: Write): Promise<ToolResponse> =>
  send({ baseUrl }, key, { method, path: `/api/v1/items/${id}/${end}`, body, headers })

/**
 * Checks that the store is consistent at once, before any sweep, and that a day later nothing of the interrupted call
 * is left.
 */
async function expectOrder({ running }: Restarted): Promise<void> {
  const { services, database } = running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  expect(checks.filter(({ name, ok }) => !ok && ['versions', 'pages', 'books'].includes(name))).toEqual([])
}

async function expectNothingLeft({ running }: Restarted): Promise<void> {
  const { services } = running.opened
  const later = new Date(Date.now() + 24 * 60 * 60_000)
  await reconcileWrites({ ...services, now: () => later })
  expect(await services.writes.listAbandoned(later)).toEqual([])
  await expectOrder({ running, baseUrl: '' })
}

describe('a server that is killed after any step', () => {
  const writes: [name: string, write: Write, texts: [before: string, after: string]][] = [
    ['a page edit', ['PUT', 'pages/1', { content: '# A2\n' }], ['# A\n# B2\n', '# A2\n# B2\n']],
  ]

  test.for(writes)('of %s blocks no other writer and loses nothing', { timeout: limitMs }, async ([, write, texts]) => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await call(baseUrl, library.key, write)),
      async recover(server) {
        await expectOrder(server)
        expect(texts).toContain((await readPageTexts(server, library, id)).join(''))
        expect((await call(server.baseUrl, library.key, write)).status).toBe(200)
        expect((await readPageTexts(server, library, id)).join('')).toBe(texts[1])
        const appended = await call(server.baseUrl, library.key, ['POST', 'pages', { content: '# Z\n' }])
        expect(appended.status).toBe(201)
        expect((await readPageTexts(server, library, id)).join('')).toBe(`${texts[1]}# Z\n`)
      },
      afterCleanup: expectNothingLeft,
    })
    expect(kills).toBeGreaterThan(4)
  })

  test('of an append adds it exactly once when the request is repeated', { timeout: limitMs }, async () => {
    const append: Write = ['POST', 'pages', { content: '# C\n' }, { 'Idempotency-Key': 'once' }]
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      act: async (baseUrl) => void (await call(baseUrl, library.key, append)),
      async recover(server) {
        await expectOrder(server)
        // Another call comes first after the restart.
        await call(server.baseUrl, library.key, ['PUT', 'pages/1', { content: '# A2\n' }])
        const { services } = server.running.opened
        // The first request counts as running for a minute.
        services.now = () => new Date(Date.now() + 2 * 60_000)
        const answer = unwrap<object>(await call(server.baseUrl, library.key, append))
        expect(answer).toMatchObject({ addedPages: 1, firstPage: 3, pageCount: 3 })
        expect(unwrap<object>(await call(server.baseUrl, library.key, append))).toEqual(answer)
        services.now = () => new Date()
        expect((await readPageTexts(server, library, id)).join('')).toBe('# A2\n# B2\n# C\n')
      },
      afterCleanup: expectNothingLeft,
    })
    expect(kills).toBeGreaterThan(6)
  })
})
