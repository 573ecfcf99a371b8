import { describe, expect, test } from 'vitest'
import { compileSort, sortKey } from '../../../../src/db/embedded/query/sort.ts'
import { outcome, show, typed, typedDocs } from '../typed.ts'

const order = (spec: object, docs: readonly object[]) =>
  typedDocs(docs)
    .sort(compileSort(typed(spec)))
    .map((doc) => Number(doc['_id']))

describe('the value that a document is sorted by', () => {
  test.for([
    ['a field', { a: 5 }, 'a', 5, 5],
    ['missing counts as null', {}, 'a', null, null],
    ['missing in a document', { a: { b: 1 } }, 'a.c', null, null],
    ['below a scalar', { a: 5 }, 'a.b', null, null],
    ['the least or greatest element', { a: [2, 9, 5] }, 'a', 2, 9],
    ['an array inside an array counts as a whole', { a: [[1], 5] }, 'a', 5, [1]],
    ['a field of the elements', { a: [{ b: 2 }, { b: 1 }] }, 'a.b', 1, 2],
    ['null for elements without the field', { a: [{ b: 2 }, {}, 7] }, 'a.b', null, 2],
    ['arrays within the elements', { a: [{ b: [3, 4] }, { b: 1 }] }, 'a.b', 1, 4],
    ['an element by its index', { a: [7, 8] }, 'a.1', 8, 8],
    ['an index beyond the end', { a: [7] }, 'a.1', null, null],
    ['an array by its index counts as a whole', { a: [[1, 2]] }, 'a.0', [1, 2], [1, 2]],
    ['an empty array below a path', { a: [] }, 'a.b', null, null],
  ] as const)('%s', ([, doc, path, least, greatest]) => {
    expect(show(sortKey(typed(doc), path, 1))).toBe(show(typed({ v: least })['v']))
    expect(show(sortKey(typed(doc), path, -1))).toBe(show(typed({ v: greatest })['v']))
  })

  test('an empty array comes before null', () => {
    expect(sortKey(typed({ a: [] }), 'a', 1)).toBeUndefined()
    expect(order({ a: 1 }, [{ _id: 1, a: null }, { _id: 2, a: [] }, { _id: 3 }])).toEqual([2, 1, 3])
  })
})

describe('several fields', () => {
  test('the later ones decide between equals, each in its own direction', () => {
    const docs = [
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 1, b: 2 },
      { _id: 3, a: 0, b: 0 },
    ]
    expect(order({ a: 1, b: -1 }, docs)).toEqual([3, 2, 1])
    expect(order({ a: -1, b: 1 }, docs)).toEqual([1, 2, 3])
  })

  test('two fields of the same element count together', () => {
    const low = {
      _id: 1,
      a: [
        { x: 3, y: 1 },
        { x: 1, y: 9 },
      ],
    }
    expect(order({ 'a.x': 1, 'a.y': 1 }, [low, { _id: 2, a: [{ x: 1, y: 5 }] }])).toEqual([2, 1])
  })

  test('two different arrays are refused', () => {
    expect(outcome(() => order({ a: 1, b: 1 }, [{ a: [1], b: [2] }, {}]))).toBe(2)
  })

  test('an array and a scalar are accepted', () => {
    expect(
      order({ a: 1, b: 1 }, [
        { _id: 1, a: [3, 2], b: 1 },
        { _id: 2, a: 2, b: 0 },
      ]),
    ).toEqual([2, 1])
  })

  test('equal documents keep their order', () => {
    expect(order({ a: 1, b: 1 }, [{ _id: 2 }, { _id: 1 }, { _id: 3 }])).toEqual([2, 1, 3])
  })
})

describe('specifications that are refused', () => {
  test.for([
    ['a direction of 2', { a: 2 }, 15975],
    ['a direction in words', { a: 'asc' }, 15974],
    ['$meta', { a: { $meta: 'textScore' } }, 2],
    ['an empty name', { '': 1 }, 40352],
    ['a name with a dollar', { $a: 1 }, 16410],
    ['more than 32 fields', Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])), 2],
  ] as const)('%s', ([, spec, code]) => {
    expect(outcome(() => compileSort(typed(spec)))).toBe(code)
  })
})
