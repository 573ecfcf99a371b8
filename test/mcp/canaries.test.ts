import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MongoNetworkError, MongoServerError } from 'mongodb'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import type { Services } from '../../src/app/context.ts'
import { tools } from '../../tools/index.ts'
import { rest, transports, type ToolResponse } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

const canary = 'CANARY-mongodb://root:hunter2@10.0.0.7/srv/lectern/data'

/** Internal errors in the forms in which drivers and programs throw them. */
const thrown: (() => unknown)[] = [
  () => new Error(canary, { cause: new Error(canary) }),
  () => canary,
  () => new MongoServerError({ message: canary, errmsg: canary, code: 96, keyValue: { secret: canary } }),
  () => new MongoNetworkError(canary),
  () => Object.assign(new TypeError(canary), { status: 418, code: canary, details: { canary }, headers: { canary } }),
]

let server: TestServer
let people = 0

beforeAll(async () => {
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))
  server = await startTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: unlimited as typeof rateLimits })
})
// Interrupted calls leave data that sweeps reconcile later.
afterAll(() => server.close().catch(() => {}))

type Store = Record<string, unknown>

/** Makes every method of a store and its parts throw, until the returned function is called. */
function poison(store: Store, error: () => unknown): () => void {
  const kept = { ...store }
  const kind = Object.getPrototypeOf(store)
  const inherited = kind === Object.prototype ? [] : Object.getOwnPropertyNames(kind)
  const names = [...Object.keys(kept), ...inherited].filter((name) => name !== 'constructor')
  const parts = names.flatMap((name) => {
    const part = store[name]
    if (typeof part === 'object' && part !== null) return [poison(part as Store, error)]
    if (typeof part !== 'function') return []
    store[name] = () => {
      throw error()
    }
    return []
  })
  return () => {
    for (const name of inherited) delete store[name]
    Object.assign(store, kept)
    for (const heal of parts) heal()
  }
}

/** Returns the example of a tool with existing ids. */
async function inputsFor(person: Person): Promise<(example: object) => Record<string, unknown>> {
  const book = await makeBook(server, person, { content: markdownPages(3) })
  const shelf = await rest.call(server, person, 'create_shelf', { name: `Reading list ${++people}` })
  const manuscript = await rest.call(server, person, 'create_manuscript', { title: 'M' })
  const session = await rest.call(server, person, 'start_access_session', {})
  const real: Record<string, string> = {
    BOOKID: book,
    'reading-list': shelf.body.slug,
    MANUSCRIPTID: manuscript.body.manuscript.id,
    SESSIONID: session.body.sessionId,
  }
  const left = ({ cursor: _, teamId: _team, ...example }: Record<string, unknown>) => example
  return (example) =>
    JSON.parse(JSON.stringify(left(example as never)), (_, value) =>
      typeof value === 'string' && Object.hasOwn(real, value) ? real[value] : value,
    )
}

const seen = ({ text, headers, body }: ToolResponse) => JSON.stringify([text, body, [...headers]])

const stores = [
  'accounts',
  'attemptLimiter',
  'readMeter',
  'rateLimiter',
  'idempotency',
  'books',
  'contents',
  'search',
  'writes',
  'lastReads',
  'readingPositions',
  'jobs',
  'shelves',
  'placements',
  'manuscripts',
  'manuscriptSlots',
  'sessions',
  'sessionQuota',
  'readLog',
  'listings',
  'subscriptions',
  'subscriptionSlots',
  'teams',
  'members',
  'shares',
  'gaps',
  'suggestions',
  'notifications',
  'files',
  'queue',
] as const satisfies (keyof Services)[]

/** Stores that these calls do not use, or whose failure does not make a call fail. */
const unasked = new Set<string>([
  'attemptLimiter',
  'files',
  'members',
  'notifications',
  'queue',
  'readLog',
  'subscriptions',
  'subscriptionSlots',
  'teams',
])

describe.for(transports)('over %s', ([name, transport]) => {
  const called = tools.filter((tool) => tool.example && (name === 'mcp' ? tool.mcp !== false : tool.rest))

  test.for(stores.map((store, i) => [store, i] as const))(
    'an internal error in %s leaks nothing',
    async ([store, i]) => {
      const person = await server.createPerson()
      const fill = await inputsFor(person)
      const heal = poison(server.running.opened.services[store] as unknown as Store, thrown[i % thrown.length] as never)
      const broken: string[] = []
      try {
        for (const tool of called) {
          const answer = await transport.call(
            server,
            person,
            tool.name,
            fill(name === 'mcp' && tool.idempotent ? { ...tool.example, idempotencyKey: 'k' } : { ...tool.example }),
          )
          expect(seen(answer), tool.name).not.toContain('CANARY')
          if (/Internal error|store is unavailable/.test(answer.text)) broken.push(tool.name)
        }
      } finally {
        heal()
      }
      const asked = name === 'mcp' || !['idempotency', 'suggestions', 'readingPositions'].includes(store)
      if (asked && !unasked.has(store)) expect(broken).not.toEqual([])
    },
  )
})

test.for(thrown.map((error, i) => [i, error] as const))(
  'an error of the file store leaks nothing into an upload response (%i)',
  async ([, error]) => {
    const person = await server.createPerson()
    const started = { filename: 'a.pdf', size: 10, contentType: 'application/pdf' }
    const { body } = await rest.call(server, person, 'start_upload', started)
    const heal = poison(server.running.opened.services.files as unknown as Store, error)
    try {
      const { itemId, storageKey } = body
      for (const [name, input] of [
        ['start_upload', started],
        ['confirm_upload', { itemId, storageKey }],
      ] as const) {
        const answer = await rest.call(server, person, name, input)
        expect(answer.status).toBeGreaterThanOrEqual(500)
        expect(seen(answer)).not.toContain('CANARY')
      }
    } finally {
      heal()
    }
  },
)
