import { Binary } from 'mongodb'
import type { Document } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { sendCommand } from '../../support/wire-client.ts'

/** The answers of DocumentDB, which an external URL may point to. */
const unlikeMongoDB: Record<string, number | undefined> = {
  'an unknown field': 2,
  'a negative skip': 8,
  'a collection name that is a number': 14,
  'an insert without documents': 8,
  'an update without a filter': 8,
}

describe.for(stores)('commands on the %s store', ([name, open]) => {
  let store: OpenStore
  beforeAll(async () => {
    store = await open()
    await store.db.collection('c').insertMany([{ a: 1 }, { a: 2 }])
  })
  afterAll(() => store.close())

  test('hello announces a replica set of this version', async () => {
    expect(await store.db.command({ hello: 1 })).toMatchObject({
      isWritablePrimary: true,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWireVersion: 21,
      logicalSessionTimeoutMinutes: 30,
      ok: 1,
    })
  })

  test('ping answers', async () => {
    expect(await store.db.command({ ping: 1 })).toMatchObject({ ok: 1 })
  })

  test('a collection is created with its first document, and listed', async () => {
    await store.db.collection('made').insertOne({})
    const listed = await store.db.listCollections({ name: 'made' }).toArray()
    expect(listed).toMatchObject([{ name: 'made', type: 'collection', info: { readOnly: false } }])
    expect(await store.db.listCollections({}, { nameOnly: true }).toArray()).toContainEqual({
      name: 'made',
      type: 'collection',
    })
  })

  test('a dropped database is empty, also when its collections are made again', async () => {
    const other = store.client.db(`${store.db.databaseName}_other`)
    await other.collection('x').createIndex({ a: 1 }, { unique: true })
    await other.collection('x').insertOne({ a: 1 })
    await other.dropDatabase()
    expect(await other.listCollections().toArray()).toEqual([])
    await other.collection('x').insertMany([{ a: 1 }, { a: 1 }])
    expect(await other.collection('x').countDocuments()).toBe(2)
    await other.dropDatabase()
  })

  test.for([
    ['an unknown command', { frobnicate: 1 }, [59]],
    ['an unknown field', { find: 'c', frob: 1 }, [40415]],
    ['a filter that is not a document', { find: 'c', filter: 1 }, [14]],
    ['a sort that is not a document', { find: 'c', sort: 'a' }, [14]],
    ['a negative skip', { find: 'c', skip: -1 }, [2, 51024]],
    ['a collection name that is a number', { find: 1 }, [73, 2]],
    ['an empty collection name', { find: '' }, [73]],
    ['a collection name with a dollar', { insert: 'a$b', documents: [{ a: 1 }] }, [73]],
    ['an insert without documents', { insert: 'c' }, [40414]],
    ['an empty insert', { insert: 'c', documents: [] }, [16]],
    ['an update without a filter', { update: 'c', updates: [{ u: { $set: { a: 1 } } }] }, [40414]],
    ['a replacement of many', { update: 'c', updates: [{ q: {}, u: { a: 1 }, multi: true }] }, [9]],
    ['a delete limit of 2', { delete: 'c', deletes: [{ q: {}, limit: 2 }] }, [9]],
    ['findAndModify without an update', { findAndModify: 'c', query: {} }, [9]],
    ['findAndModify with update and remove', { findAndModify: 'c', update: { $set: { a: 1 } }, remove: true }, [9]],
    ['an aggregation without a cursor', { aggregate: 'c', pipeline: [] }, [9]],
    ['an unknown operator', { find: 'c', filter: { a: { $frob: 1 } } }, [2]],
  ] as const)('refuses %s', async ([what, command, codes]) => {
    const reply = await store.db.command(command).catch((error: Document) => error)
    const code = reply['code'] ?? reply['writeErrors']?.[0]?.code
    expect(name === 'embedded' ? codes : [...codes, unlikeMongoDB[what]]).toContain(code)
  })

  test.runIf(name === 'embedded').for([
    ['a pipeline on no collection', { aggregate: 1, pipeline: [], cursor: {} }, 115],
    ['a transaction number on a read', { find: 'c', txnNumber: 1n }, 72],
    [
      'an update with a sort, which requires MongoDB 8',
      { update: 'c', updates: [{ q: {}, u: {}, sort: { a: 1 } }] },
      40415,
    ],
  ] as const)('refuses %s', async ([, command, code]) => {
    const reply = await store.db.command(command).catch((error: Document) => error)
    expect(reply['code'] ?? reply['writeErrors']?.[0]?.code).toBe(code)
  })

  test.for([
    ['a sufficient time limit', { find: 'c', maxTimeMS: 60_000 }],
    [
      'a write that waits for the journal',
      { insert: 'c', documents: [{ b: 1 }], writeConcern: { w: 'majority', j: true } },
    ],
    [
      'a write that does not wait for the journal',
      { insert: 'c', documents: [{ b: 1 }], writeConcern: { w: 1, j: false } },
    ],
  ] as const)('accepts %s', async ([, command]) => {
    expect(await store.db.command(command)).toMatchObject({ ok: 1 })
  })

  test.runIf(name === 'embedded')('a session id of the wrong size is refused', async () => {
    const lsid = { id: new Binary(Buffer.alloc(4), 4) }
    expect(await sendCommand(store.url, { find: 'c', lsid, $db: store.db.databaseName })).toMatchObject({
      ok: 0,
      code: 14,
    })
  })

  test.runIf(name === 'embedded')('a read that exceeds its time limit is aborted', async () => {
    const many = store.db.collection('many')
    await many.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i, text: `t${i}` })))
    const error = await expectServerError(many.find({ text: { $regex: 'x' } }, { maxTimeMS: 1 }).toArray())
    expect(error.code).toBe(50)
  })
})
