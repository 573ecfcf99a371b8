import type { Collection, MongoBulkWriteError } from 'mongodb'
import { Binary, BSONRegExp, Double, Int32, Long, ObjectId } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectServerError, stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'

type Doc = { _id: number; [field: string]: any }

const withDuplicate = (): Doc[] => [{ _id: 5 }, { _id: 1 }, { _id: 6 }]

describe.for(stores)('writes on the %s store', ([, open]) => {
  let store: OpenStore
  let docs: Collection<Doc>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  beforeEach(async () => {
    docs = store.db.collection(`writes_${Math.random().toString(36).slice(2)}`)
    await docs.insertMany([1, 2, 3, 4].map((_id) => ({ _id, n: _id * 10, kind: _id % 2 === 0 ? 'even' : 'odd' })))
  })

  test('every supported BSON type round-trips', async () => {
    const stored = {
      _id: 9,
      double: new Double(1),
      int: new Int32(1),
      long: Long.fromString('9007199254740993'),
      text: 'é\u0000\u{1f600}',
      binary: new Binary(Buffer.from([1, 2]), 128),
      id: new ObjectId(),
      yes: true,
      date: new Date(-1),
      none: null,
      regex: new BSONRegExp('^a', 'i'),
      nested: { z: 1, a: [[], {}, [1, { b: null }]] },
    }
    const raw = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const
    await docs.insertOne(stored)
    expect(await docs.findOne({ _id: 9 }, raw)).toEqual({ ...stored, _id: new Int32(9), nested: expect.anything() })
    await docs.updateOne({ _id: 9 }, { $set: { touched: 1 } })
    const { touched, ...rest } = (await docs.findOne({ _id: 9 }, raw)) as Doc
    expect(touched).toEqual(new Int32(1))
    expect(rest).toEqual({ ...stored, _id: new Int32(9), nested: expect.anything() })
    expect(Object.keys((await docs.findOne({ _id: 9 }))?.['nested'] as object)).toEqual(['z', 'a'])
  })

  test('an _id that is not the first field is moved to the front', async () => {
    await docs.insertOne({ a: 1, _id: 8 }, { forceServerObjectId: true })
    expect(Object.keys((await docs.findOne({ _id: 8 })) ?? {})).toEqual(['_id', 'a'])
  })

  test('a document without an _id gets one', async () => {
    const untyped = store.db.collection(docs.collectionName)
    await untyped.insertOne({ without: true }, { forceServerObjectId: true })
    const found = await untyped.findOne({ without: true })
    expect(found?._id).toBeInstanceOf(ObjectId)
    expect(Object.keys(found ?? {})[0]).toBe('_id')
  })

  test.for([
    ['an array', [1]],
    ['a regular expression', /a/],
    ['a document with an operator', { $a: 1 }],
  ] as const)('refuses %s as _id', async ([, id]) => {
    const error = await expectServerError(store.db.collection('ids').insertOne({ _id: id as never }))
    expect([2, 52, 53]).toContain(error.code)
  })

  test('an ordered insert stops at the first duplicate, an unordered one does not', async () => {
    const ordered = (await expectServerError(docs.insertMany(withDuplicate()))) as MongoBulkWriteError
    expect([ordered.code, ordered.insertedCount]).toEqual([11000, 1])
    await docs.deleteMany({ _id: { $gt: 4 } })
    const unordered = (await expectServerError(
      docs.insertMany(withDuplicate(), { ordered: false }),
    )) as MongoBulkWriteError
    expect([unordered.code, unordered.insertedCount]).toEqual([11000, 2])
    expect([unordered.writeErrors].flat().map(({ index }) => index)).toEqual([1])
  })

  test('an update reports what it matched, changed and inserted', async () => {
    expect(await docs.updateOne({ _id: 1 }, { $set: { n: 10 } })).toMatchObject({ matchedCount: 1, modifiedCount: 0 })
    expect(await docs.updateMany({ kind: 'odd' }, { $inc: { n: 1 } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 2,
    })
    expect(await docs.updateOne({ _id: 99 }, { $set: { n: 1 } })).toMatchObject({ matchedCount: 0, upsertedCount: 0 })
    const upsert = await docs.updateOne(
      { _id: 7, kind: 'new' },
      { $set: { n: 1 }, $setOnInsert: { at: 5 } },
      { upsert: true },
    )
    expect(upsert).toMatchObject({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1, upsertedId: 7 })
    expect(await docs.findOne({ _id: 7 })).toEqual({ _id: 7, kind: 'new', n: 1, at: 5 })
  })

  test('a replacement that inserts a document whose id is taken by one that it does not match is refused', async () => {
    const over = { _id: 70, $or: [{ kind: { $ne: 'live' } }, { n: { $lte: 0 } }] }
    const replace = (n: number) => docs.replaceOne(over, { kind: 'live', n }, { upsert: true })
    expect(await replace(1)).toMatchObject({ matchedCount: 0, upsertedCount: 1 })
    expect((await expectServerError(replace(2))).code).toBe(11000)
    await docs.updateOne({ _id: 70 }, { $set: { kind: 'over' } })
    expect(await replace(3)).toMatchObject({ matchedCount: 1, modifiedCount: 1 })
    expect(await docs.findOne({ _id: 70 })).toEqual({ _id: 70, kind: 'live', n: 3 })
  })

  test('an update that moves documents in the index that it scans processes each once', async () => {
    await docs.createIndex({ n: 1 })
    expect((await docs.updateMany({ n: { $gt: 0 } }, { $inc: { n: 100 } })).modifiedCount).toBe(4)
    expect((await docs.find().sort({ n: 1 }).toArray()).map(({ n }) => n)).toEqual([110, 120, 130, 140])
  })

  test('a replacement keeps the _id', async () => {
    await docs.replaceOne({ _id: 1 }, { fresh: true })
    expect(await docs.findOne({ _id: 1 })).toEqual({ _id: 1, fresh: true })
    expect((await expectServerError(docs.replaceOne({ _id: 2 }, { _id: 3, x: 1 }))).code).toBe(66)
  })

  test('a bulk write reports each of its parts', async () => {
    const result = await docs.bulkWrite([
      { insertOne: { document: { _id: 10 } } },
      { updateMany: { filter: { kind: 'even' }, update: { $set: { bulk: true } } } },
      { updateOne: { filter: { _id: 11 }, update: { $set: { n: 1 } }, upsert: true } },
      { replaceOne: { filter: { _id: 3 }, replacement: { n: 0 } } },
      { deleteOne: { filter: { kind: 'odd' } } },
      { deleteMany: { filter: { bulk: true } } },
    ])
    expect(result).toMatchObject({
      insertedCount: 1,
      matchedCount: 3,
      modifiedCount: 3,
      upsertedCount: 1,
      deletedCount: 3,
    })
    expect(result.upsertedIds).toEqual({ 2: 11 })
  })

  test('a failing statement of an unordered bulk write does not affect the others', async () => {
    const failing = docs.bulkWrite(
      [
        { updateOne: { filter: { _id: 1 }, update: { $inc: { kind: 1 } } } },
        { updateOne: { filter: { _id: 2 }, update: { $set: { done: true } } } },
      ],
      { ordered: false },
    )
    const error = (await expectServerError(failing)) as MongoBulkWriteError
    expect([error.code, error.modifiedCount]).toEqual([14, 1])
    expect(await docs.findOne({ _id: 2 })).toMatchObject({ done: true })
  })

  test('findOneAndUpdate gives the document before or after, sorted and projected', async () => {
    const change = { $inc: { n: 1 } }
    expect(await docs.findOneAndUpdate({ kind: 'odd' }, change, { sort: { _id: -1 } })).toMatchObject({ _id: 3, n: 30 })
    const after = { returnDocument: 'after', projection: { n: 1, _id: 0 } } as const
    expect(await docs.findOneAndUpdate({ _id: 3 }, change, after)).toEqual({ n: 32 })
    expect(await docs.findOneAndUpdate({ _id: 99 }, change)).toBeNull()
    expect(await docs.findOneAndUpdate({ _id: 98 }, change, { upsert: true })).toBeNull()
    expect(await docs.findOneAndUpdate({ _id: 97 }, change, { upsert: true, returnDocument: 'after' })).toEqual({
      _id: 97,
      n: 1,
    })
    const detailed = await docs.findOneAndUpdate({ _id: 96 }, change, { upsert: true, includeResultMetadata: true })
    expect(detailed).toMatchObject({
      lastErrorObject: { n: 1, updatedExisting: false, upserted: 96 },
      value: null,
      ok: 1,
    })
  })

  test('findOneAndDelete and findOneAndReplace', async () => {
    expect(await docs.findOneAndDelete({ kind: 'odd' }, { sort: { _id: -1 } })).toMatchObject({ _id: 3 })
    expect(await docs.findOneAndDelete({ _id: 3 })).toBeNull()
    expect(await docs.findOneAndReplace({ _id: 1 }, { x: 1 }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      x: 1,
    })
  })

  test('deleteOne deletes one, deleteMany all', async () => {
    expect((await docs.deleteOne({ kind: 'odd' })).deletedCount).toBe(1)
    expect((await docs.deleteMany({})).deletedCount).toBe(3)
    expect((await docs.deleteMany({})).deletedCount).toBe(0)
  })

  test.for([
    ['an unknown operator', { $frob: { a: 1 } }, 9],
    ['$inc on text', { $inc: { kind: 1 } }, 14],
    ['a new _id', { $set: { _id: 5 } }, 66],
    ['a path through a number', { $set: { 'n.x': 1 } }, 28],
    ['two operators on one path', { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ] as const)('refuses %s', async ([, change, code]) => {
    const error = await expectServerError(docs.updateOne({ _id: 1 }, change))
    expect(error.code).toBe(code)
    expect(await docs.findOne({ _id: 1 })).toEqual({ _id: 1, n: 10, kind: 'odd' })
  })

  test('an update that would grow a document over 16 MB is refused and changes nothing', async () => {
    const large = 'x'.repeat(9 * 1024 * 1024)
    await docs.insertOne({ _id: 20, a: large })
    const error = await expectServerError(docs.updateOne({ _id: 20 }, { $set: { b: large } }))
    expect([10334, 17419]).toContain(error.code)
    expect(Object.keys((await docs.findOne({ _id: 20 })) ?? {})).toEqual(['_id', 'a'])
  })

  test('concurrent increments are all counted', async () => {
    await Promise.all(Array.from({ length: 100 }, () => docs.updateOne({ _id: 1 }, { $inc: { n: 1 } })))
    expect(await docs.findOne({ _id: 1 })).toMatchObject({ n: 110 })
  })

  test('of concurrent guarded updates, exactly as many succeed as fit', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => docs.updateOne({ _id: 4, n: { $gt: 0 } }, { $inc: { n: -10 } })),
    )
    expect(results.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0)).toBe(4)
  })
})
