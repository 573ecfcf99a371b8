import { Long } from 'mongodb'
import type { Collection } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'

type Doc = { _id: number; n: number; kind: string }

describe.for(stores)('cursors on the %s store', ([name, open]) => {
  let store: OpenStore
  let docs: Collection<Doc>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    docs = store.db.collection(`cursors_${Math.random().toString(36).slice(2)}`)
    await docs.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id, n: 299 - _id, kind: `k${_id % 3}` })))
  })
  const find = (command: object) => store.db.command({ find: docs.collectionName, ...command })
  const getMore = (id: Long, rest: object = {}) =>
    store.db.command(
      { getMore: id, collection: docs.collectionName, ...rest },
      { useBigInt64: false, promoteLongs: false },
    )
  const open_ = async (command: object) => {
    const { cursor } = await store.db.command({ find: docs.collectionName, ...command }, { promoteLongs: false })
    return cursor as { id: Long; firstBatch: Doc[] }
  }

  test.for([
    ['every document', {}, {}, 300],
    ['batches of seven', {}, { batchSize: 7 }, 300],
    ['an index in order', { kind: 'k1' }, { sort: { n: 1 }, batchSize: 9 }, 100],
    ['a sort in memory', { n: { $gte: 100 } }, { sort: { kind: -1, n: 1 }, batchSize: 50 }, 200],
    ['a limit over several batches', {}, { limit: 25, batchSize: 10 }, 25],
    ['a skip', {}, { skip: 290 }, 10],
    ['a skip beyond the end', {}, { skip: 400 }, 0],
    ['skip and limit together', {}, { skip: 5, limit: 10, sort: { _id: 1 } }, 10],
  ] as const)('return %s without duplicates', async ([, filter, options, count]) => {
    const found = await docs.find(filter, options).toArray()
    expect(new Set(found.map(({ _id }) => _id)).size).toBe(count)
    expect(found).toHaveLength(count)
  })

  test('first return 101 documents, then everything that fits', async () => {
    const { id, firstBatch } = await open_({})
    expect(firstBatch).toHaveLength(101)
    const { cursor } = await getMore(id)
    expect(cursor.nextBatch).toHaveLength(199)
    expect(cursor.id.toNumber()).toBe(0)
  })

  test('are closed at once if everything fits, with a single batch, and when a limit is reached', async () => {
    for (const command of [{ batchSize: 400 }, { batchSize: 5, singleBatch: true }, { batchSize: 5, limit: 5 }]) {
      expect((await find(command))['cursor'].id).toSatisfy((id: unknown) => Number(id) === 0)
    }
  })

  test('a batch size of 0 opens a cursor and reads nothing yet', async () => {
    const { id, firstBatch } = await open_({ batchSize: 0 })
    expect(firstBatch).toEqual([])
    expect((await getMore(id, { batchSize: 3 }))['cursor'].nextBatch).toHaveLength(3)
  })

  test('are gone after they were killed, and unknown ids are reported', async () => {
    const { id } = await open_({ batchSize: 2 })
    const killed = await store.db.command({ killCursors: docs.collectionName, cursors: [id, Long.fromNumber(12345)] })
    expect(killed['cursorsKilled'].map(Number)).toEqual([id.toNumber()])
    expect(killed['cursorsNotFound'].map(Number)).toEqual([12345])
    expect((await expectServerError(getMore(id))).code).toBe(43)
  })

  // DocumentDB, which an external URL may point to, does not check this.
  test.runIf(name === 'embedded')('of another collection are refused', async () => {
    const { id } = await open_({ batchSize: 2 })
    await store.db.collection('elsewhere').insertOne({})
    const error = await expectServerError(store.db.command({ getMore: id, collection: 'elsewhere' }))
    expect(error.code).toBe(13)
  })

  test('continue when documents that they have not returned yet are changed, deleted and added', async () => {
    await docs.createIndex({ n: 1 })
    const cursor = docs
      .find({ n: { $gte: 0 } })
      .sort({ n: 1 })
      .batchSize(10)
    const seen: Doc[] = []
    for await (const doc of cursor) {
      seen.push(doc)
      if (seen.length !== 10) continue
      await docs.deleteMany({ n: { $gte: 50, $lt: 60 } })
      await docs.updateMany({ n: { $gte: 100 } }, { $set: { kind: 'changed' } })
      await docs.insertMany(Array.from({ length: 5 }, (_, i) => ({ _id: 1000 + i, n: 500 + i, kind: 'new' })))
    }
    expect(seen.every(({ n, kind }) => Number.isInteger(n) && typeof kind === 'string')).toBe(true)
    expect(new Set(seen.map(({ _id }) => _id)).size).toBe(seen.length)
    expect(seen.filter(({ n }) => n < 50)).toHaveLength(50)
    expect(seen.length).toBeGreaterThanOrEqual(290)
  })

  test.runIf(name === 'embedded')('end with an error when their collection is dropped', async () => {
    const other = store.client.db(`${store.db.databaseName}_dropped`)
    await other.collection('c').insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }] as never[])
    const { cursor } = await other.command({ find: 'c', batchSize: 1 }, { promoteLongs: false })
    await other.dropDatabase()
    expect((await expectServerError(other.command({ getMore: cursor.id, collection: 'c' }))).code).toBe(175)
  })

  test('of an aggregation come in batches too', async () => {
    const found = await docs
      .aggregate([{ $match: { kind: 'k2' } }, { $sort: { n: 1 } }, { $project: { n: 1 } }], { batchSize: 7 })
      .toArray()
    expect(found.map(({ n }) => n)).toEqual(found.map(({ n }) => n).sort((a, b) => a - b))
    expect(found).toHaveLength(100)
  })

  test('return documents of 16 MB one per batch', async () => {
    const large = store.db.collection<{ _id: number; text: string }>('large')
    for (let _id = 0; _id < 3; _id += 1) await large.insertOne({ _id, text: 'x'.repeat(15_000_000) })
    expect((await large.find().sort({ _id: 1 }).toArray()).map(({ _id, text }) => [_id, text.length])).toEqual([
      [0, 15_000_000],
      [1, 15_000_000],
      [2, 15_000_000],
    ])
    await large.deleteMany({})
  })

  test('of an empty or missing collection return nothing', async () => {
    expect(await store.db.collection('missing').find({ a: 1 }).sort({ b: 1 }).toArray()).toEqual([])
    expect(await store.db.collection('missing').countDocuments()).toBe(0)
    expect(await store.db.collection('missing').estimatedDocumentCount()).toBe(0)
    expect(await store.db.collection('missing').distinct('a')).toEqual([])
  })

  test('count and distinct match the same documents as find', async () => {
    expect(await docs.countDocuments({ kind: 'k0' })).toBe(100)
    expect(await docs.estimatedDocumentCount()).toBe(300)
    expect((await docs.distinct('kind')).sort()).toEqual(['k0', 'k1', 'k2'])
    expect(await docs.distinct('n', { n: { $lt: 3 } })).toHaveLength(3)
  })
})
