import { Long, UUID } from 'mongodb'
import type { Binary, ClientSession, Collection, Document } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { sendCommand } from '../../support/wire-client.ts'

type Doc = { _id: number; n?: number }

const lsid = () => new UUID().toBinary()

describe.for(stores)('sessions on the %s store', ([name, open]) => {
  let store: OpenStore
  let docs: Collection<Doc>
  let session: ClientSession
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    docs = store.db.collection(`sessions_${Math.random().toString(36).slice(2)}`)
    await docs.insertMany([
      { _id: 1, n: 0 },
      { _id: 2, n: 0 },
    ])
    session = store.client.startSession()
    return () => session.endSession()
  })
  const n = async (_id: number) => (await docs.findOne({ _id }))?.n

  /** Sends a command as a driver repeats it after it has lost the reply. */
  const numbered = (command: Document, number: number, id: Binary) =>
    sendCommand(store.url, { ...command, $db: docs.dbName, lsid: { id }, txnNumber: Long.fromNumber(number) })
  const insert = (_id: number) => ({ insert: docs.collectionName, documents: [{ _id }] })

  describe('a repeated write', () => {
    test('is applied once and gets the same answer', async () => {
      const id = lsid()
      const increment = { update: docs.collectionName, updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }
      const first = await numbered(increment, 1, id)
      const second = await numbered(increment, 1, id)
      expect([second['n'], second['nModified']]).toEqual([first['n'], first['nModified']])
      expect(await n(1)).toBe(1)
      await numbered(increment, 2, id)
      expect(await n(1)).toBe(2)
    })

    test.for([
      ['insert', (c: string) => ({ insert: c, documents: [{ _id: 7 }] }), { n: 1 }],
      ['delete', (c: string) => ({ delete: c, deletes: [{ q: { _id: 2 }, limit: 1 }] }), { n: 1 }],
      [
        'findAndModify',
        (c: string) => ({ findAndModify: c, query: { _id: 2 }, update: { $inc: { n: 1 } } }),
        { value: { _id: 2, n: 0 } },
      ],
    ] as const)('gets its first answer again: %s', async ([, command, expected]) => {
      const id = lsid()
      for (let i = 0; i < 2; i += 1) {
        expect(await numbered(command(docs.collectionName), 1, id)).toMatchObject(expected)
      }
    })

    // DocumentDB repeats the first answer.
    test.runIf(name === 'embedded')('that changed nothing at first runs again, and is applied once', async () => {
      const id = lsid()
      const increment = { update: docs.collectionName, updates: [{ q: { _id: 30 }, u: { $inc: { n: 1 } } }] }
      expect(await numbered(increment, 1, id)).toMatchObject({ n: 0 })
      await docs.insertOne({ _id: 30, n: 0 })
      for (let i = 0; i < 2; i += 1) expect(await numbered(increment, 1, id)).toMatchObject({ n: 1, nModified: 1 })
      expect(await n(30)).toBe(1)
    })

    // DocumentDB, which an external URL may point to, accepts it.
    test.runIf(name === 'embedded')("with a number below the session's last is refused", async () => {
      const id = lsid()
      await numbered(insert(10), 5, id)
      expect(await numbered(insert(11), 4, id)).toMatchObject({ ok: 0, code: 225 })
    })
  })

  describe.runIf(name === 'embedded')('a multi-document transaction', () => {
    test('is refused with its first command, and nothing is written', async () => {
      session.startTransaction()
      const error = await expectServerError(docs.updateOne({ _id: 1 }, { $set: { n: 5 } }, { session }))
      expect([error.code, error.hasErrorLabel('TransientTransactionError')]).toEqual([263, false])
      await session.abortTransaction()
      expect(await n(1)).toBe(0)
    })

    test('is not retried by withTransaction', async () => {
      let tries = 0
      const attempt = session.withTransaction(async () => {
        tries += 1
        await docs.insertOne({ _id: 9 }, { session })
      })
      expect((await expectServerError(attempt)).code).toBe(263)
      expect([tries, await docs.countDocuments()]).toEqual([1, 2])
    })
  })

  test('an ended session may write again with the same id', async () => {
    const id = lsid()
    await numbered(insert(20), 1, id)
    await sendCommand(store.url, { endSessions: [{ id }], $db: 'admin' })
    expect(await numbered(insert(21), 2, id)).toMatchObject({ n: 1 })
  })
})
