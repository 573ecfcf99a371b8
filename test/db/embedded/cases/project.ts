import { Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** A document, a projection of `find`, and what comes out (field order included), or the code of the refusal. */
export type ProjectCase = readonly [
  name: string,
  doc: Document,
  projection: Document,
  out: Document | number,
  options?: { filter?: Document; differs?: Differs },
]

const books = {
  list: [
    { x: 1, y: 1 },
    { x: 2, y: 2 },
    { x: 2, y: 3 },
  ],
}

export const projectCases: ProjectCase[] = [
  ['inclusion takes the _id along', { a: 1, b: 2 }, { a: 1 }, { _id: 1, a: 1 }],
  ['inclusion without the _id', { a: 1, b: 2 }, { a: 1, _id: 0 }, { a: 1 }],
  ['inclusion keeps the order of the document', { a: 1, b: 2, c: 3 }, { c: 1, a: true }, { _id: 1, a: 1, c: 3 }],
  ['inclusion of what is missing', { a: 1 }, { z: 1 }, { _id: 1 }],
  ['only the _id', { a: 1 }, { _id: 1 }, { _id: 1 }],
  ['exclusion', { a: 1, b: 2 }, { a: 0 }, { _id: 1, b: 2 }],
  ['exclusion with the _id', { a: 1, b: 2 }, { a: false, _id: false }, { b: 2 }],
  ['exclusion that keeps the _id', { a: 1, b: 2 }, { a: 0, _id: 1 }, { _id: 1, b: 2 }],
  ['only without the _id', { a: 1 }, { _id: 0 }, { a: 1 }],
  ['the empty projection', { a: 1 }, {}, { _id: 1, a: 1 }],
  ['any number but 0 includes', { a: 1, b: 2 }, { a: new Double(0.5) }, { _id: 1, a: 1 }],
  ['a mix', { a: 1, b: 2 }, { a: 1, b: 0 }, 31254],
  ['a mix the other way', { a: 1, b: 2 }, { a: 0, b: 1 }, 31253],
  ['an embedded field', { a: { b: 1, c: 2 }, d: 1 }, { 'a.b': 1 }, { _id: 1, a: { b: 1 } }],
  ['an embedded field, written as a document', { a: { b: 1, c: 2 }, d: 1 }, { a: { b: 1 } }, { _id: 1, a: { b: 1 } }],
  ['two embedded fields', { a: { b: 1, c: 2, d: 3 } }, { 'a.d': 1, 'a.b': 1 }, { _id: 1, a: { b: 1, d: 3 } }],
  ['an embedded field excluded', { a: { b: 1, c: 2 }, d: 1 }, { 'a.b': 0 }, { _id: 1, a: { c: 2 }, d: 1 }],
  [
    'inclusion in the elements drops what is no document',
    { a: [{ b: 1, c: 2 }, 5, { c: 3 }, [{ b: 4, c: 5 }]] },
    { 'a.b': 1 },
    { _id: 1, a: [{ b: 1 }, {}, [{ b: 4 }]] },
  ],
  [
    'exclusion in the elements keeps what is no document',
    { a: [{ b: 1, c: 2 }, 5] },
    { 'a.b': 0 },
    { _id: 1, a: [{ c: 2 }, 5] },
  ],
  ['inclusion in a scalar drops it', { a: 5, b: 1 }, { 'a.b': 1 }, { _id: 1 }],
  ['exclusion in a scalar keeps it', { a: 5, b: 1 }, { 'a.b': 0 }, { _id: 1, a: 5, b: 1 }],
  ['a path inside another', { a: { b: 1 } }, { a: 1, 'a.b': 1 }, 31249],
  ['a path around another', { a: { b: 1 } }, { 'a.b': 1, a: 1 }, 31250],
  ['a name with a dollar', {}, { $a: 1 }, 16410],
  ['an empty document as a projection', {}, { a: {} }, 51270, { differs: { documentdb: 'includes nothing' } }],
  [
    'types stay',
    { a: Long.fromNumber(1), b: new Double(1), c: 1 },
    { a: 1, b: 1 },
    { _id: 1, a: Long.fromNumber(1), b: new Double(1) },
  ],

  ['an expression', { a: 1, b: 2 }, { sum: { $add: ['$a', '$b'] } }, { _id: 1, sum: 3 }],
  [
    'an expression beside included fields comes last',
    { a: 1, b: 2 },
    { sum: { $add: ['$a', '$b'] }, a: 1 },
    { _id: 1, a: 1, sum: 3 },
  ],
  ['a field under another name', { a: 1 }, { z: '$a', _id: 0 }, { z: 1 }],
  ['a text is a value', { a: 1 }, { z: 'text' }, { _id: 1, z: 'text' }],
  ['a missing value is left out', { a: 1 }, { z: '$no' }, { _id: 1 }],
  ['an array of expressions', { a: 1 }, { z: ['$a', '$no'] }, { _id: 1, z: [1, null] }],
  ['an expression in an exclusion', { a: 1 }, { a: 0, z: '$a' }, 31252],
  [
    'an expression into the elements',
    { a: [{ b: 1 }, { b: 2 }], c: 9 },
    { 'a.d': '$c' },
    { _id: 1, a: [{ d: 9 }, { d: 9 }] },
  ],
  ['an expression for the _id', { a: 5 }, { _id: '$a' }, { _id: 5 }],

  ['$slice from the start', { a: [1, 2, 3], b: 1 }, { a: { $slice: 2 } }, { _id: 1, a: [1, 2], b: 1 }],
  ['$slice from the end', { a: [1, 2, 3], b: 1 }, { a: { $slice: -2 } }, { _id: 1, a: [2, 3], b: 1 }],
  ['$slice with skip and limit', { a: [1, 2, 3] }, { a: { $slice: [1, 1] } }, { _id: 1, a: [2] }],
  ['$slice with a skip from the end', { a: [1, 2, 3] }, { a: { $slice: [-2, 1] } }, { _id: 1, a: [2] }],
  ['$slice beyond the start', { a: [1, 2, 3] }, { a: { $slice: [-9, 2] } }, { _id: 1, a: [1, 2] }],
  ['$slice 0', { a: [1, 2] }, { a: { $slice: 0 } }, { _id: 1, a: [] }],
  ['$slice of no array', { a: 5 }, { a: { $slice: 1 } }, { _id: 1, a: 5 }],
  ['$slice beside included fields', { a: [1, 2], b: 1, c: 1 }, { b: 1, a: { $slice: 1 } }, { _id: 1, a: [1], b: 1 }],
  ['$slice beside excluded fields', { a: [1, 2], b: 1, c: 1 }, { b: 0, a: { $slice: 1 } }, { _id: 1, a: [1], c: 1 }],
  [
    '$slice of an embedded array',
    { a: { b: [1, 2], c: 1 } },
    { 'a.b': { $slice: 1 } },
    { _id: 1, a: { b: [1], c: 1 } },
  ],
  [
    '$slice as an expression',
    { a: [1, 2, 3] },
    { z: { $slice: ['$a', 2] } },
    { _id: 1, z: [1, 2] },
    { differs: { documentdb: 'does not have it' } },
  ],

  ['$elemMatch takes the first match', books, { list: { $elemMatch: { x: 2 } } }, { _id: 1, list: [{ x: 2, y: 2 }] }],
  ['$elemMatch of values', { a: [1, 5, 9] }, { a: { $elemMatch: { $gt: 3 } } }, { _id: 1, a: [5] }],
  ['$elemMatch without a match', books, { list: { $elemMatch: { x: 7 } } }, { _id: 1 }],
  ['$elemMatch of no array', { a: 1 }, { a: { $elemMatch: { x: 7 } } }, { _id: 1 }],
  [
    '$elemMatch beside included fields comes last',
    { ...books, b: 1, c: 2 },
    { list: { $elemMatch: { x: 2 } }, c: 1 },
    { _id: 1, c: 2, list: [{ x: 2, y: 2 }] },
  ],
  ['$elemMatch without the _id', books, { _id: 0, list: { $elemMatch: { x: 2 } } }, { list: [{ x: 2, y: 2 }] }],
  [
    '$elemMatch on an embedded field',
    { a: { b: [1] } },
    { 'a.b': { $elemMatch: { x: 1 } } },
    31275,
    { differs: { documentdb: 'answers 2' } },
  ],

  ['the matched element', books, { 'list.$': 1 }, { _id: 1, list: [{ x: 2, y: 2 }] }, { filter: { 'list.x': 2 } }],
  [
    'the matched element by $elemMatch',
    books,
    { 'list.$': 1 },
    { _id: 1, list: [{ x: 2, y: 3 }] },
    { filter: { list: { $elemMatch: { x: 2, y: 3 } } } },
  ],
  [
    'the matched element of values',
    { a: [1, 5, 9], b: 1 },
    { 'a.$': 1, b: 1 },
    { _id: 1, a: [5], b: 1 },
    { filter: { a: { $gt: 3 } } },
  ],
  ['two positions', { a: [1], b: [1] }, { 'a.$': 1, 'b.$': 1 }, 31276, { filter: { a: 1 } }],
  [
    'a position in the middle',
    { a: [{ b: 1 }] },
    { 'a.$.b': 1 },
    31394,
    { filter: { 'a.b': 1 }, differs: { documentdb: 'answers 16410' } },
  ],
  ['a position excluded', { a: [1], b: 1 }, { 'a.$': 1, b: 0 }, 31395, { filter: { a: 1 } }],
  ['a position without a match', { a: [1], b: 1 }, { 'a.$': 1 }, 51246, { filter: { b: 1 } }],
]
