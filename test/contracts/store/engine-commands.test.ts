import { Binary } from 'mongodb'
import type { Document } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { sendCommand } from '../../support/wire-client.ts'

/** What DocumentDB, which an external URL may lead to, answers instead. */
const unlikeMongoDB: Record<string, number | undefined> = {
  'an unknown field': 2,
  'a negative skip': 8,
  'a collection name that is a number': 14,
  'an insert without documents': 8,
  'an update without a filter': 8,
  'a read concern that does not exist': undefined,
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

  test('ping, buildInfo and dbStats answer', async () => {
    expect(await store.db.command({ ping: 1 })).toMatchObject({ ok: 1 })
    expect((await store.db.admin().buildInfo()).version).toMatch(/^7\.0/)
    expect(await store.db.stats()).toMatchObject({ db: store.db.databaseName, ok: 1 })
  })

  test('collections are made, listed and dropped', async () => {
    await store.db.createCollection('made')
    await store.db.createCollection('made')
    const listed = await store.db.listCollections({ name: 'made' }).toArray()
    expect(listed).toMatchObject([{ name: 'made', type: 'collection', info: { readOnly: false } }])
    expect(await store.db.listCollections({}, { nameOnly: true }).toArray()).toContainEqual({
      name: 'made',
      type: 'collection',
    })
    expect(await store.db.collection('made').drop()).toBe(true)
    expect(await store.db.listCollections({ name: 'made' }).toArray()).toEqual([])
    await store.db.collection('made').drop()
  })

  test('databases are listed and dropped', async () => {
    const other = store.client.db(`${store.db.databaseName}_other`)
    await other.collection('x').insertOne({})
    const names = async () =>
      (await store.client.db().admin().listDatabases({ nameOnly: true })).databases.map((one) => one.name)
    expect(await names()).toContain(other.databaseName)
    await other.dropDatabase()
    expect(await names()).not.toContain(other.databaseName)
  })

  test('a dropped collection that is made again is empty', async () => {
    const again = store.db.collection('again')
    await again.createIndex({ a: 1 }, { unique: true })
    await again.insertOne({ a: 1 })
    await again.drop()
    await again.insertMany([{ a: 1 }, { a: 1 }])
    expect(await again.indexes()).toHaveLength(1)
  })

  test.for([
    ['an unknown command', { frobnicate: 1 }, [59]],
    ['an unknown field', { find: 'c', frob: 1 }, [40415]],
    ['a filter that is no document', { find: 'c', filter: 1 }, [14]],
    ['a sort that is no document', { find: 'c', sort: 'a' }, [14]],
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
    ['a read concern that does not exist', { find: 'c', readConcern: { level: 'best' } }, [2, 9]],
  ] as const)('refuses %s', async ([what, command, codes]) => {
    const reply = await store.db.command(command).catch((error: Document) => error)
    const code = reply.code ?? reply.writeErrors?.[0]?.code
    expect(name === 'embedded' ? codes : [...codes, unlikeMongoDB[what]]).toContain(code)
  })

  test.runIf(name === 'embedded').for([
    ['a collation', { find: 'c', collation: { locale: 'de' } }, 115],
    ['a tailable cursor', { find: 'c', tailable: true }, 115],
    ['returnKey', { find: 'c', returnKey: true }, 115],
    ['min and max', { find: 'c', min: { a: 1 } }, 115],
    ['a capped collection', { create: 'capped', capped: true, size: 1000 }, 115],
    ['a view', { create: 'view', viewOn: 'c', pipeline: [] }, 115],
    ['a validator', { create: 'valid', validator: {} }, 115],
    ['a text index', { createIndexes: 'c', indexes: [{ key: { a: 'text' }, name: 't' }] }, 67],
    [
      'an index with a collation',
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 't', collation: { locale: 'de' } }] },
      67,
    ],
    ['change streams', { aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} }, undefined],
    ['a pipeline on no collection', { aggregate: 1, pipeline: [], cursor: {} }, 115],
    ['a write concern of two members', { insert: 'c', documents: [{ a: 1 }], writeConcern: { w: 2 } }, 100],
    ['a transaction number on a read', { find: 'c', txnNumber: 1n }, 72],
    ['a sort of an update, which is of MongoDB 8', { update: 'c', updates: [{ q: {}, u: {}, sort: { a: 1 } }] }, 40415],
  ] as const)('refuses %s, which it does not implement', async ([, command, code]) => {
    const reply = await store.db.command(command).catch((error: Document) => error)
    const refused = reply.code ?? reply.writeErrors?.[0]?.code
    if (code === undefined) expect(refused).toBeGreaterThan(0)
    else expect(refused).toBe(code)
  })

  test.for([
    ['a simple collation', { find: 'c', collation: { locale: 'simple' } }],
    ['majority concerns', { find: 'c', readConcern: { level: 'majority' } }],
    ['a comment', { find: 'c', comment: { any: 'thing' } }],
    ['time enough', { find: 'c', maxTimeMS: 60_000 }],
    [
      'a journalled write',
      { insert: 'c', documents: [{ b: 1 }], writeConcern: { w: 'majority', j: true, wtimeout: 100 } },
    ],
    ['a variable', { find: 'c', filter: { $expr: { $eq: ['$a', '$$wanted'] } }, let: { wanted: 2 } }],
  ] as const)('takes %s', async ([, command]) => {
    expect(await store.db.command(command)).toMatchObject({ ok: 1 })
  })

  test.runIf(name === 'embedded')('a session id of the wrong size is refused', async () => {
    const lsid = { id: new Binary(Buffer.alloc(4), 4) }
    expect(await sendCommand(store.url, { find: 'c', lsid, $db: store.db.databaseName })).toMatchObject({
      ok: 0,
      code: 14,
    })
  })

  test.runIf(name === 'embedded')('a read that takes too long is ended', async () => {
    const many = store.db.collection('many')
    await many.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i, text: `t${i}` })))
    const error = await expectServerError(many.find({ text: { $regex: 'x' } }, { maxTimeMS: 1 }).toArray())
    expect(error.code).toBe(50)
  })
})
