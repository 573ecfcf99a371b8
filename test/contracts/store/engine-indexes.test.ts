import type { Collection, MongoServerError } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'

type Doc = { _id: number; [field: string]: unknown }

describe.for(stores)('indexes on the %s store', ([name, open]) => {
  let store: OpenStore
  let docs: Collection<Doc>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  beforeEach(() => {
    docs = store.db.collection(`indexes_${Math.random().toString(36).slice(2)}`)
  })
  const insert = (...list: object[]) => docs.insertMany(list.map((one, i) => ({ _id: i, ...one })))
  const all = async (filter: object) => (await docs.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id)

  const create = (...indexes: object[]) => store.db.command({ createIndexes: docs.collectionName, indexes })

  test('are created once, even if requested repeatedly', async () => {
    const wanted = [
      { key: { a: 1 }, name: 'a_1' },
      { key: { b: 1 }, name: 'b_1', unique: true },
    ]
    expect(await create(...wanted)).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 3 })
    expect(await create(...wanted)).toMatchObject({ numIndexesBefore: 3, numIndexesAfter: 3 })
  })

  test.for([
    ['the same name for another key', { b: 1 }, { name: 'a_1' }, 86],
    ['the same key under another name', { a: 1 }, { name: 'other' }, 85],
    ['the same name with other options', { a: 1 }, { unique: true }, 86],
    ['an empty key', {}, { name: 'x' }, 67],
    ['a direction of 0', { x: 0 }, {}, 67],
    ['a direction that is text', { x: 'sideways' }, {}, 67],
    ['an expiry on two fields', { x: 1, y: 1 }, { expireAfterSeconds: 5 }, 67],
    ['a negative expiry', { x: 1 }, { expireAfterSeconds: -1 }, 67],
    ['an unknown option', { x: 1 }, { frob: 1 }, 197],
  ] as const)('refuses %s', async ([, key, options, code]) => {
    await docs.createIndex({ a: 1 })
    const command = store.db.command({
      createIndexes: docs.collectionName,
      indexes: [{ key, name: `${Object.keys(key).join('_')}_1`, ...options }],
    })
    expect((await expectServerError(command)).code).toBe(code)
  })

  test('a unique index admits one of many concurrent inserts', async () => {
    await docs.createIndex({ email: 1 }, { unique: true })
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, _id) => docs.insertOne({ _id, email: 'a' })),
    )
    const codes = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as MongoServerError).code] : [],
    )
    expect(codes).toEqual(Array.from({ length: 19 }, () => 11000))
    expect(await docs.countDocuments()).toBe(1)
  })

  test.for([
    ['a missing field counts as null', [{ a: 1 }, {}], { b: 1 }, true],
    ['1 and 1.0 and NumberLong(1) are equal', [{ a: 1 }], { a: 1 }, true],
    ['null and missing are equal', [{}], { a: null }, true],
    ['text differs from a number', [{ a: 1 }], { a: '1' }, false],
    ['an element of another array is a duplicate', [{ a: [1, 2] }], { a: [2, 3] }, true],
    ['equal elements of one array are not', [{ a: 5 }], { a: [1, 1] }, false],
    ['nested fields in another order differ', [{ a: { x: 1, y: 2 } }], { a: { y: 2, x: 1 } }, false],
  ] as const)('in a unique index %s', async ([, before, added, refused]) => {
    await docs.createIndex({ a: 1 }, { unique: true })
    await insert(...before)
    const error = await docs.insertOne({ _id: 99, ...added }).then(
      () => undefined,
      (reason: MongoServerError) => reason.code,
    )
    expect(error).toBe(refused ? 11000 : undefined)
  })

  test('a duplicate names the index, the key and the value', async () => {
    await docs.createIndex({ owner: 1, 'file.name': -1 }, { unique: true, name: 'file' })
    await insert({ owner: 'u', file: { name: 'a "b"' } })
    const error = await expectServerError(docs.insertOne({ _id: 9, owner: 'u', file: { name: 'a "b"' } }))
    expect(error.code).toBe(11000)
    if (name !== 'embedded') return
    expect(error.message).toBe(
      `E11000 duplicate key error collection: ${docs.namespace} index: file dup key: { owner: "u", file.name: "a \\"b\\"" }`,
    )
    expect(error['keyPattern']).toEqual({ owner: 1, 'file.name': -1 })
    expect(error['keyValue']).toEqual({ owner: 'u', 'file.name': 'a "b"' })
  })

  test('an update to a duplicate is refused and changes nothing', async () => {
    await docs.createIndex({ a: 1 }, { unique: true })
    await insert({ a: 1 }, { a: 2 })
    expect((await expectServerError(docs.updateOne({ _id: 1 }, { $set: { a: 1, b: 1 } }))).code).toBe(11000)
    expect(await docs.findOne({ _id: 1 })).toEqual({ _id: 1, a: 2 })
    expect(await all({ a: 2 })).toEqual([1])
  })

  test('a unique index over duplicates is refused and not created', async () => {
    await insert({ a: 1 }, { a: 1 })
    expect((await expectServerError(docs.createIndex({ a: 1 }, { unique: true }))).code).toBe(11000)
    expect(await create({ key: { b: 1 }, name: 'b_1' })).toMatchObject({ numIndexesBefore: 1 })
  })

  test('a sparse unique index ignores documents without the field', async () => {
    await docs.createIndex({ a: 1 }, { unique: true, sparse: true })
    await insert({}, {}, { a: 1 }, { a: null })
    expect((await expectServerError(docs.insertOne({ _id: 9, a: null }))).code).toBe(11000)
    expect(await all({ a: null })).toEqual([0, 1, 3])
    expect(await all({ a: { $exists: false } })).toEqual([0, 1])
  })

  test('a partial unique index covers only what its filter matches', async () => {
    await docs.createIndex({ slug: 1 }, { unique: true, partialFilterExpression: { live: true } })
    await insert({ slug: 'a', live: false }, { slug: 'a', live: false }, { slug: 'a', live: true })
    expect((await expectServerError(docs.updateOne({ _id: 0 }, { $set: { live: true } }))).code).toBe(11000)
    await docs.updateOne({ _id: 2 }, { $set: { live: false } })
    expect((await docs.updateOne({ _id: 0 }, { $set: { live: true } })).modifiedCount).toBe(1)
    expect(await all({ slug: 'a' })).toEqual([0, 1, 2])
    expect(await all({ slug: 'a', live: true })).toEqual([0])
  })

  // MongoDB refuses this; DocumentDB, which an external URL may point to, allows it.
  test.runIf(name === 'embedded')('two arrays in one index are refused', async () => {
    await docs.createIndex({ a: 1, b: 1 })
    expect((await expectServerError(docs.insertOne({ _id: 1, a: [1], b: [2] }))).code).toBe(171)
    expect(await docs.countDocuments()).toBe(0)
  })

  test('an array of documents is found by fields of one element and of several', async () => {
    await docs.createIndex({ 'm.user': 1, 'm.role': 1 })
    await insert(
      {
        m: [
          { user: 'a', role: 'x' },
          { user: 'b', role: 'y' },
        ],
      },
      { m: [{ user: 'a', role: 'y' }] },
      { m: [] },
    )
    expect(await all({ 'm.user': 'a', 'm.role': 'y' })).toEqual([0, 1])
    expect(await all({ m: { $elemMatch: { user: 'a', role: 'y' } } })).toEqual([1])
  })

  test('explain shows the used index', async () => {
    await docs.createIndex({ a: 1, b: -1 })
    await insert(...Array.from({ length: 50 }, (_, i) => ({ a: i % 5, b: i })))
    const { executionStats } = await docs.find({ a: 3 }).sort({ b: -1 }).limit(2).explain('executionStats')
    expect(executionStats.nReturned).toBe(2)
    if (name === 'embedded') expect(executionStats).toMatchObject({ totalKeysExamined: 2, totalDocsExamined: 2 })
  })
})
