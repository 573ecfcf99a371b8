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

  /** A command as a driver would send it again after it has lost the reply. */
  const numbered = (command: Document, number: number, id: Binary) =>
    sendCommand(store.url, { ...command, $db: docs.dbName, lsid: { id }, txnNumber: Long.fromNumber(number) })
  const insert = (_id: number) => ({ insert: docs.collectionName, documents: [{ _id }] })

  /** Adds one in a transaction that first reads. */
  const add = async () => {
    const own = store.client.startSession()
    await own.withTransaction(async () => {
      const doc = await docs.findOne({ _id: 1 }, { session: own })
      await docs.updateOne({ _id: 1 }, { $set: { n: (doc?.n ?? 0) + 1 } }, { session: own })
    })
    await own.endSession()
  }

  describe('a repeated write', () => {
    test('is applied once and answered the same', async () => {
      const id = lsid()
      const increment = { update: docs.collectionName, updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }
      const first = await numbered(increment, 1, id)
      const second = await numbered(increment, 1, id)
      expect([second.n, second.nModified]).toEqual([first.n, first.nModified])
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

    // DocumentDB, which an external URL may lead to, takes it.
    test.runIf(name === 'embedded')('of a number that the session has passed is refused', async () => {
      const id = lsid()
      await numbered(insert(10), 5, id)
      expect(await numbered(insert(11), 4, id)).toMatchObject({ ok: 0, code: 225 })
    })
  })

  describe('a transaction', () => {
    test('is seen by others only when it is committed', async () => {
      session.startTransaction()
      await docs.updateOne({ _id: 1 }, { $set: { n: 5 } }, { session })
      await docs.insertOne({ _id: 3 }, { session })
      expect(await docs.countDocuments({}, { session })).toBe(3)
      expect([await n(1), await docs.countDocuments()]).toEqual([0, 2])
      await session.commitTransaction()
      expect([await n(1), await docs.countDocuments()]).toEqual([5, 3])
    })

    test('leaves nothing behind when it is aborted', async () => {
      session.startTransaction()
      await docs.updateMany({}, { $inc: { n: 1 } }, { session })
      await docs.deleteOne({ _id: 2 }, { session })
      await session.abortTransaction()
      expect([await n(1), await n(2)]).toEqual([0, 0])
    })

    test('may make a collection, which is gone with it', async () => {
      const fresh = store.db.collection(`${docs.collectionName}_fresh`)
      const names = async () => (await store.db.listCollections({ name: fresh.collectionName }).toArray()).length
      session.startTransaction()
      await fresh.insertOne({}, { session })
      await session.abortTransaction()
      expect(await fresh.countDocuments()).toBe(0)
      await session.withTransaction(() => fresh.insertOne({}, { session }))
      expect([await fresh.countDocuments(), await names()]).toEqual([1, 1])
    })

    test('ends with the first error in it', async () => {
      session.startTransaction()
      await docs.updateOne({ _id: 1 }, { $set: { n: 9 } }, { session })
      expect((await expectServerError(docs.insertOne({ _id: 1 }, { session }))).code).toBe(11000)
      const error = await expectServerError(docs.findOne({ _id: 1 }, { session }))
      expect([error.code, error.hasErrorLabel('TransientTransactionError')]).toEqual([251, true])
      await session.abortTransaction()
      expect(await n(1)).toBe(0)
    })

    test('holds its cursors', async () => {
      session.startTransaction()
      await docs.insertMany(
        Array.from({ length: 20 }, (_, i) => ({ _id: 100 + i })),
        { session },
      )
      expect(await docs.find({ _id: { $gte: 100 } }, { session, batchSize: 3 }).toArray()).toHaveLength(20)
      await session.abortTransaction()
    })

    test('of two that count in parallel both are counted', async () => {
      await Promise.all(Array.from({ length: 5 }, add))
      expect(await n(1)).toBe(5)
    })

    test('lets others write when it has ended', async () => {
      session.startTransaction()
      await docs.updateOne({ _id: 1 }, { $set: { n: 1 } }, { session })
      const other = docs.updateOne({ _id: 2 }, { $set: { n: 2 } })
      await session.commitTransaction()
      await other
      expect([await n(1), await n(2)]).toEqual([1, 2])
    })

    test('may be committed again, and not be gone on with', async () => {
      session.startTransaction()
      await docs.insertOne({ _id: 50 }, { session })
      await session.commitTransaction()
      await session.commitTransaction()
      const { serverSession } = session as unknown as { serverSession: { id: Document; txnNumber: number } }
      const late = { insert: docs.collectionName, documents: [{ _id: 51 }], lsid: serverSession.id, autocommit: false }
      const txnNumber = Long.fromNumber(serverSession.txnNumber)
      const { code } = await sendCommand(store.url, { ...late, txnNumber, $db: docs.dbName })
      expect([251, 256]).toContain(code)
    })

    test('that is not known cannot be committed', async () => {
      const id = lsid()
      const commit = {
        commitTransaction: 1,
        lsid: { id },
        txnNumber: Long.fromNumber(1),
        autocommit: false,
        $db: 'admin',
      }
      const { code, errorLabels } = await sendCommand(store.url, commit)
      expect([code, errorLabels]).toEqual([251, ['TransientTransactionError']])
    })

    test.runIf(name === 'embedded').for([
      ['createIndexes', { indexes: [{ key: { a: 1 }, name: 'a' }] }],
      ['drop', {}],
      ['count', {}],
    ] as const)('refuses %s', async ([command, rest]) => {
      session.startTransaction()
      const error = await expectServerError(store.db.command({ [command]: docs.collectionName, ...rest }, { session }))
      expect(error.code).toBe(263)
      await session.abortTransaction()
    })
  })
})
