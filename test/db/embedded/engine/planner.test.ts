import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Double, Int32 } from 'bson'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decode, encode } from '../../../../src/db/embedded/bson/bytes.ts'
import type { Doc, Value } from '../../../../src/db/embedded/bson/values.ts'
import { newDocument } from '../../../../src/db/embedded/commands/documents.ts'
import { prepareQuery } from '../../../../src/db/embedded/engine/execute.ts'
import { compileFilter } from '../../../../src/db/embedded/query/match.ts'
import { compileSort } from '../../../../src/db/embedded/query/sort.ts'
import { Catalog } from '../../../../src/db/embedded/storage/catalog.ts'
import { parseIndexSpec } from '../../../../src/db/embedded/storage/index-spec.ts'
import { buildIndex, deleteRow, insertRow, replaceRow } from '../../../../src/db/embedded/storage/records.ts'
import type { Store } from '../../../../src/db/embedded/storage/records.ts'
import { closeStorage, openStorage } from '../../../../src/db/embedded/storage/sqlite.ts'

let directory: string
let store: Store

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'planner-'))
  const connection = openStorage(directory)
  store = { catalog: new Catalog(connection), connection }
  connection.exec('BEGIN')
})
afterEach(() => {
  closeStorage(store.connection)
  rmSync(directory, { recursive: true })
})

/** Converts plain JavaScript values to typed BSON. */
function typed(value: unknown): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? new Int32(value) : new Double(value)
  if (Array.isArray(value)) return value.map(typed)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value as Value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typed(field)]))
}
const doc = (value: object) => typed(value) as Doc

let made = 0
function collection(docs: readonly object[], indexes: readonly object[]) {
  const created = store.catalog.create('db', `c${(made += 1)}`)
  const build = (index: object, name: string) => {
    const spec = parseIndexSpec(doc({ name, ...index }))
    buildIndex(store, created, store.catalog.addIndex(created, spec))
  }
  // The first half of the indexes is updated as documents are inserted, the other half is built from stored documents.
  const half = Math.ceil(indexes.length / 2)
  indexes.slice(0, half).forEach((index, i) => build(index, `early${i}`))
  docs.forEach((one, i) => insertRow(store, created, newDocument(encode(doc({ _id: i, ...one })))))
  indexes.slice(half).forEach((index, i) => build(index, `late${i}`))
  return created
}

type Found = ReturnType<typeof collection>

function run(from: Found, filter: object, options: { sort?: object; skip?: number; limit?: number } = {}) {
  const { sort = {}, ...rest } = options
  const prepared = prepareQuery(store.connection, from, { filter: doc(filter), sort: doc(sort), ...rest })
  const docs = [...prepared.rows()].map(({ bytes }) => decode(bytes))
  return { docs, keys: prepared.examined.keys, fetched: prepared.examined.docs, plan: prepared.plan }
}

/** Returns all keys of all indexes. */
function keysOf(from: Found): string[][] {
  return from.indexes
    .filter(({ isId }) => !isId)
    .map(({ id }) =>
      store.connection.all<[Uint8Array]>(`SELECT k FROM i${id}`).map(([key]) => Buffer.from(key).toString('hex')),
    )
}

const ids = (docs: readonly Doc[]) => docs.map(({ _id }) => Number(String(_id)))

describe('the planner', () => {
  const people = Array.from({ length: 1000 }, (_, i) => ({
    owner: `u${i % 10}`,
    at: new Date(i * 1000),
    state: i % 3 === 0 ? null : 'open',
    tags: [`t${i % 5}`, `s${i % 7}`],
    n: i,
  }))
  const cases: [what: string, index: object, filter: object, options: object, keys: number, docs: number][] = [
    ['an _id', { key: { n: 1 } }, { _id: 5 }, {}, 1, 1],
    ['several _ids', { key: { n: 1 } }, { _id: { $in: [5, 7, 9, 2000] } }, {}, 3, 3],
    ['equality', { key: { owner: 1 } }, { owner: 'u3' }, {}, 100, 100],
    ['a range', { key: { n: 1 } }, { n: { $gte: 10, $lt: 20 } }, {}, 10, 10],
    ['equality and range', { key: { owner: 1, n: 1 } }, { owner: 'u3', n: { $lte: 53 } }, {}, 6, 6],
    ['equality and order', { key: { owner: 1, at: -1 } }, { owner: 'u3' }, { sort: { at: -1 }, limit: 5 }, 5, 5],
    ['the order read backwards', { key: { owner: 1, at: -1 } }, { owner: 'u3' }, { sort: { at: 1 }, limit: 5 }, 5, 5],
    ['order alone', { key: { at: 1 } }, {}, { sort: { at: -1 }, limit: 3 }, 3, 3],
    ['a field tested in the key', { key: { owner: 1, at: 1, n: 1 } }, { owner: 'u3', n: 503 }, {}, 100, 1],
    ['a text prefix', { key: { owner: 1 } }, { owner: { $regex: '^u4' } }, {}, 100, 100],
    ['an array element', { key: { tags: 1 } }, { tags: 't2' }, {}, 200, 200],
    ['$elemMatch', { key: { tags: 1 } }, { tags: { $elemMatch: { $gte: 't2', $lt: 't3' } } }, {}, 200, 200],
    [
      'a partial index',
      { key: { n: 1 }, partialFilterExpression: { state: 'open' } },
      { state: 'open', n: 4 },
      {},
      1,
      1,
    ],
    ['a sparse index', { key: { n: 1 }, sparse: true }, { n: { $gt: 990 } }, {}, 9, 9],
  ]

  test.for(cases)('reads no more than necessary for %s', ([, index, filter, options, keys, docs]) => {
    const found = run(collection(people, [index]), filter, options)
    expect({ keys: found.keys, docs: found.fetched }).toEqual({ keys, docs })
  })

  test.for([
    [{ _id: { $in: ['c', 'a', 'none', 'c', 'b'] } }, ['a', 'b', 'c']],
    [{ _id: 'b' }, ['b']],
    [{ _id: { $in: [] } }, []],
    [{ _id: { $in: ['b', 2, 'a'] } }, [2, 'a', 'b']],
    [{ _id: { $in: ['a', 'b', 'c'] }, n: 1 }, ['a', 'b']],
    [{ _id: { $in: ['a', 'b'], $gt: 'a' } }, ['b']],
  ])('finds text _ids in order, and other conditions: %o', ([filter, expected]) => {
    const rows = ['c', 'b', 2, 'a'].map((_id) => ({ _id, n: _id === 'c' ? 2 : 1 }))
    const found = run(collection(rows, [{ key: { n: 1 } }]), filter as object)
    expect(found.docs.map(({ _id }) => (typeof _id === 'string' ? _id : Number(_id)))).toEqual(expected)
  })

  test('merges the ranges of $in in sort order', () => {
    const from = collection(people, [{ key: { owner: 1, at: 1 } }])
    const found = run(from, { owner: { $in: ['u1', 'u2', 'u3'] } }, { sort: { at: -1 }, limit: 4 })
    expect(ids(found.docs)).toEqual([993, 992, 991, 983])
    expect(found.keys).toBeLessThan(100)
  })

  test('serves an $or with the union of index ranges, without duplicates', () => {
    const from = collection(people, [{ key: { owner: 1 } }, { key: { n: 1 } }])
    const found = run(from, { $or: [{ owner: 'u3' }, { n: { $lt: 10 } }] })
    expect(found.docs).toHaveLength(109)
    expect(found.keys).toBe(110)
  })

  test('skips keys that cannot match', () => {
    const finished = Array.from({ length: 2000 }, () => ({ name: 'import', next: null, lock: null }))
    const from = collection(
      [...finished, { name: 'import', next: new Date(5), lock: null }],
      [{ key: { name: 1, next: 1, lock: 1 } }],
    )
    const due = { name: 'import', $or: [{ lock: null, next: { $lte: new Date(9) } }, { lock: { $lte: new Date(1) } }] }
    const found = run(from, due, { sort: { next: 1 }, limit: 1 })
    expect(ids(found.docs)).toEqual([2000])
    expect(found.keys).toBeLessThan(10)
  })

  test.for([
    [
      'a partial index whose condition the filter does not imply',
      { key: { n: 1 }, partialFilterExpression: { state: 'open' } },
      { n: 4 },
    ],
    [
      'a partial index for another value',
      { key: { n: 1 }, partialFilterExpression: { state: 'open' } },
      { state: { $in: ['open', null] }, n: 4 },
    ],
    ['a sparse index where a missing field matches', { key: { gone: 1 }, sparse: true }, { gone: null }],
    ['a sparse index for an order only', { key: { gone: 1 }, sparse: true }, {}],
  ] as const)('does not use %s', ([, index, filter]) => {
    const found = run(collection(people, [index]), filter, { sort: { gone: 1 } })
    expect(found.plan?.access.kind).toBe('rows')
  })
})

/** Omits documents with parallel arrays, which one index cannot contain. */
const single = <T extends { o?: unknown }>(list: readonly T[]) =>
  list.filter(({ o }) => {
    const parts = (Array.isArray(o) ? o : [o ?? {}]) as { x?: unknown; y?: unknown }[]
    return !parts.some(({ x, y }) => Array.isArray(x) && Array.isArray(y))
  })

describe('any query', () => {
  const scalar = fc.constantFrom(null, 0, 1, 2, 1.5, 'a', 'ab', 'b', true, new Date(0), new Date(1))
  const field = fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) })
  const nested = fc.record({ x: field, y: field }, { requiredKeys: [], noNullPrototype: true })
  const docs = fc.array(
    fc.record(
      { a: field, b: field, c: scalar, o: fc.oneof(nested, fc.array(nested, { maxLength: 2 })) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    { maxLength: 25 },
  )
  const operator = fc.oneof(
    scalar,
    fc
      .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$eq', '$ne'), scalar)
      .map(([name, value]) => ({ [name]: value })),
    fc.tuple(scalar, scalar).map(([low, high]) => ({ $gte: low, $lte: high })),
    fc.array(scalar, { maxLength: 3 }).map((list) => ({ $in: list })),
    fc.array(scalar, { maxLength: 2 }).map((list) => ({ $nin: list })),
    fc.boolean().map((exists) => ({ $exists: exists })),
    fc.constantFrom({ $regex: '^a' }, { $regex: '^a', $options: 'i' }, { $regex: 'b' }, { $size: 1 }),
    fc.constantFrom({ $elemMatch: { $gte: 1, $lt: 2 } }, { $not: { $gt: 1 } }),
    fc.array(scalar, { maxLength: 2 }),
  )
  const path = fc.constantFrom('a', 'b', 'c', 'o.x', 'o.y')
  const condition = fc.oneof(
    fc.tuple(path, operator).map(([name, value]) => ({ [name]: value })),
    fc.tuple(operator, operator).map(([x, y]) => ({ o: { $elemMatch: { x, y } } })),
  )
  const filter = fc.oneof(
    condition,
    fc.tuple(condition, condition).map(([x, y]) => ({ $and: [x, y] })),
    fc.tuple(condition, condition, condition).map(([x, y, z]) => ({ ...x, $or: [y, z] })),
  )
  const keys = fc
    .uniqueArray(fc.tuple(path, fc.constantFrom(1, -1)), { minLength: 1, maxLength: 3, selector: ([name]) => name })
    .filter((list) => !(list.some(([name]) => name === 'a') && list.some(([name]) => name === 'b')))
    .filter((list) => !list.some(([name]) => name.startsWith('o')) || list.every(([name]) => /^[oc]/.test(name)))
    .map((list) => Object.fromEntries(list))
  const index = fc.oneof(
    keys.map((key) => ({ key })),
    keys.map((key) => ({ key, sparse: true })),
    fc
      .tuple(keys, fc.constantFrom(1, 'a', true))
      .map(([key, value]) => ({ key, partialFilterExpression: { c: value } })),
  )
  const sort = fc.constantFrom(
    {},
    { a: 1 },
    { c: -1, a: 1 },
    { c: 1 },
    { 'o.x': -1 },
    { c: -1, 'o.y': 1 },
    { b: -1, c: 1 },
  )

  test('finds the same with indexes as without, in the same order', () => {
    fc.assert(
      fc.property(fc.tuple(docs, fc.array(index, { maxLength: 3 }), filter, sort), ([list, indexes, wanted, order]) => {
        const usable = single(list)
        const from = collection(usable, indexes)
        const matches = compileFilter(doc(wanted))
        const all = usable.map((one, i) => doc({ _id: i, ...one }))
        const expected = all.filter((one) => matches(one))
        const found = run(from, wanted, { sort: order }).docs
        expect(ids(found).sort((x, y) => x - y)).toEqual(ids(expected))
        const compare = compileSort(doc(order))
        for (let i = 1; i < found.length; i += 1)
          expect(compare(found[i - 1] as Doc, found[i] as Doc)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 500 },
    )
  })

  test('on one field finds the same with an index on it as without, in the same order', () => {
    const list = fc.array(fc.record({ a: field }, { requiredKeys: [], noNullPrototype: true }), { maxLength: 8 })
    const way = fc.constantFrom(1, -1)
    fc.assert(
      fc.property(fc.tuple(list, operator, way, way), ([some, wanted, key, order]) => {
        const from = collection(some, [{ key: { a: key } }])
        const matches = compileFilter(doc({ a: wanted }))
        const expected = some.map((one, i) => doc({ _id: i, ...one })).filter((one) => matches(one))
        const found = run(from, { a: wanted }, { sort: { a: order } }).docs
        expect(ids(found).sort((x, y) => x - y)).toEqual(ids(expected))
        const compare = compileSort(doc({ a: order }))
        found.forEach((one, i) => expect(i === 0 ? 0 : compare(found[i - 1] as Doc, one)).toBeLessThanOrEqual(0))
      }),
      { numRuns: 1000 },
    )
  })

  test('finds the same after documents have been replaced and deleted', () => {
    fc.assert(
      fc.property(
        fc.tuple(docs, docs, fc.array(index, { minLength: 1, maxLength: 3 }), filter),
        ([before, after, indexes, wanted]) => {
          const [old, next] = [single(before), single(after)]
          const from = collection(old, indexes)
          old.forEach((one, i) => {
            const row = { rowid: i + 1, bytes: encode(doc({ _id: i, ...one })) }
            if (next[i]) replaceRow(store, from, { ...row, next: encode(doc({ _id: i, ...next[i] })) })
            else deleteRow(store, from, row)
          })
          const matches = compileFilter(doc(wanted))
          const expected = next
            .slice(0, old.length)
            .map((one, i) => doc({ _id: i, ...one }))
            .filter((one) => matches(one))
          expect(ids(run(from, wanted).docs).sort((x, y) => x - y)).toEqual(ids(expected))
          const fresh = collection(next.slice(0, old.length), indexes)
          expect(keysOf(from)).toEqual(keysOf(fresh))
        },
      ),
      { numRuns: 250 },
    )
  })
})
