import { BSONRegExp, Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** A document, the update, and the updated document (types and field order included), or the code of the refusal. */
export type UpdateCase = readonly [
  name: string,
  before: Document,
  update: Document | Document[],
  after: Document | number,
  options?: { filter?: Document; differs?: Differs },
]

const long = (text: string) => Long.fromString(text)
const byGivenOrder = { documentdb: 'adds new fields in the order given' }
const MAX = long('9223372036854775807')

export const fieldCases: UpdateCase[] = [
  ['$set replaces a field in its place', { a: 1, b: 2 }, { $set: { a: 'x' } }, { a: 'x', b: 2 }],
  [
    '$set appends new fields by name, not by the order given',
    { x: 1 },
    { $set: { c: 1, a: 2, b: 3 } },
    { x: 1, a: 2, b: 3, c: 1 },
    { differs: byGivenOrder },
  ],
  [
    'operators apply by field name together',
    { x: 1 },
    { $set: { z: 1 }, $inc: { a: 1 } },
    { x: 1, a: 1, z: 1 },
    { differs: byGivenOrder },
  ],
  ['$set makes the documents on the way', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set into a document', { a: { b: 1 } }, { $set: { 'a.c': 2 } }, { a: { b: 1, c: 2 } }],
  ['$set an element', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
  ['$set beyond the end fills with null', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
  ['$set in an element', { a: [{ b: 1 }] }, { $set: { 'a.0.b': 2 } }, { a: [{ b: 2 }] }],
  ['$set a numeric name in no array makes a document', {}, { $set: { 'a.0': 1 } }, { a: { 0: 1 } }],
  ['$set keeps the type given', { a: 1 }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
  ['$set through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
  ['$set through null', { a: null }, { $set: { 'a.b': 1 } }, 28],
  ['$set a name in an array', { a: [1] }, { $set: { 'a.b': 1 } }, 28],
  ['$set the same path twice', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ['$set a path and one inside it', {}, { $set: { a: 1, 'a.b': 1 } }, 40],
  ['$set of another _id', {}, { $set: { _id: 99 } }, 66],
  ['$unset of the _id', {}, { $unset: { _id: 1 } }, 66],
  ['$set with nothing', { a: 1 }, { $set: {} }, { a: 1 }],
  ['$set an empty name', {}, { $set: { '': 1 } }, 56],
  ['$set a path that ends in a dot', {}, { $set: { 'a.': 1 } }, 56],
  ['$set a name with a dollar', {}, { $set: { $b: 1 } }, 52, { differs: { documentdb: 'answers 2' } }],
  ['$set an embedded name with a dollar', {}, { $set: { 'a.$b': 1 } }, { a: { $b: 1 } }],
  ['$set needs a document', {}, { $set: 1 }, 9],
  ['a field beside operators', {}, { $set: { a: 1 }, b: 1 }, 9],
  ['$unset', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
  ['$unset an embedded field', { a: { b: 1, c: 2 } }, { $unset: { 'a.b': 1 } }, { a: { c: 2 } }],
  ['$unset an element leaves null', { a: [1, 2] }, { $unset: { 'a.0': 1 } }, { a: [null, 2] }],
  ['$unset what is missing', { a: 1 }, { $unset: { b: 1, 'c.d': 1 } }, { a: 1 }],
  ['$unset through a scalar does nothing', { a: 1 }, { $unset: { 'a.b': 1 } }, { a: 1 }],
  ['$setOnInsert does nothing to what exists', { a: 1 }, { $setOnInsert: { b: 1, 'a.x': 1 } }, { a: 1 }],
]

export const numberCases: UpdateCase[] = [
  ['$inc', { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ['$inc a missing field', {}, { $inc: { a: 2 } }, { a: 2 }],
  ['$inc an int beyond its range makes a long', { a: 2147483647 }, { $inc: { a: 1 } }, { a: long('2147483648') }],
  ['$inc an int by a long', { a: 1 }, { $inc: { a: long('1') } }, { a: long('2') }],
  ['$inc an int by a double', { a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
  ['$inc a double stays a double', { a: new Double(1) }, { $inc: { a: 1 } }, { a: new Double(2) }],
  ['$inc a long exactly', { a: long('9007199254740993') }, { $inc: { a: 1 } }, { a: long('9007199254740994') }],
  ['$inc a long beyond its range', { a: MAX }, { $inc: { a: 1 } }, 2],
  ['$inc a string', { a: 'x' }, { $inc: { a: 1 } }, 14],
  ['$inc null', { a: null }, { $inc: { a: 1 } }, 14],
  ['$inc by a string', { a: 1 }, { $inc: { a: 'x' } }, 14],
  ['$inc makes the documents on the way', {}, { $inc: { 'a.b': 1 } }, { a: { b: 1 } }],
  ['$inc by 0', { a: 1 }, { $inc: { a: 0 } }, { a: 1 }],
  ['$min', { a: 5 }, { $min: { a: 3 } }, { a: 3 }],
  ['$min keeps the smaller', { a: 5 }, { $min: { a: 7 } }, { a: 5 }],
  ['$min a missing field', {}, { $min: { a: 7 } }, { a: 7 }],
  ['$min across types', { a: 'x' }, { $min: { a: 3 } }, { a: 3 }],
  ['$min of an equal number keeps the type', { a: 5 }, { $min: { a: new Double(5) } }, { a: 5 }],
  ['$max', { a: 5 }, { $max: { a: 7 } }, { a: 7 }],
  ['$max of dates', { a: new Date(5) }, { $max: { a: new Date(7) } }, { a: new Date(7) }],
  ['$max null is below numbers', { a: 5 }, { $max: { a: null } }, { a: 5 }],
]

export const arrayCases: UpdateCase[] = [
  ['$push', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  ['$push to a missing field', {}, { $push: { a: 1 } }, { a: [1] }],
  ['$push an array as one element', { a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
  ['$push to no array', { a: 1 }, { $push: { a: 1 } }, 2],
  ['$push to null', { a: null }, { $push: { a: 1 } }, 2],
  ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  [
    '$push $each of nothing makes the array',
    {},
    { $push: { a: { $each: [] } } },
    { a: [] },
    { differs: { documentdb: 'leaves the field out' } },
  ],
  ['$push $slice from the end', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
  ['$push $slice from the start', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }],
  ['$push $slice 0', { a: [1, 2] }, { $push: { a: { $each: [], $slice: 0 } } }, { a: [] }],
  ['$push $sort of values', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1 } } }, { a: [1, 2, 3] }],
  ['$push $sort and then $slice', { a: [5, 1] }, { $push: { a: { $each: [3], $sort: -1, $slice: 2 } } }, { a: [5, 3] }],
  ['$push $each needs an array', { a: [] }, { $push: { a: { $each: 1 } } }, 2],
  ['$push $slice is whole', { a: [] }, { $push: { a: { $each: [], $slice: 1.5 } } }, 2],
  ['$push $sort is 1 or -1', { a: [] }, { $push: { a: { $each: [], $sort: 2 } } }, 2],
  ['$addToSet', { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ['$addToSet what is there', { a: [1] }, { $addToSet: { a: new Double(1) } }, { a: [1] }],
  ['$addToSet $each', { a: [1] }, { $addToSet: { a: { $each: [2, 1, 2] } } }, { a: [1, 2] }],
  [
    '$addToSet a document with another field order',
    { a: [{ x: 1, y: 2 }] },
    { $addToSet: { a: { y: 2, x: 1 } } },
    {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    },
  ],
  ['$addToSet to a missing field', {}, { $addToSet: { a: 1 } }, { a: [1] }],
  ['$addToSet to no array', { a: 1 }, { $addToSet: { a: 1 } }, 2],
  ['$pull a value', { a: [1, 2, 1, new Double(1)] }, { $pull: { a: 1 } }, { a: [2] }],
  ['$pull by a condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  ['$pull $in', { a: [1, 2, 3] }, { $pull: { a: { $in: [1, 3] } } }, { a: [2] }],
  [
    '$pull documents by their fields, in any order',
    { a: [{ x: 1, y: 2, z: 3 }, { x: 2 }] },
    { $pull: { a: { y: 2, x: 1 } } },
    { a: [{ x: 2 }] },
  ],
  [
    '$pull documents by a condition on a field',
    { a: [{ x: 1 }, { x: 5 }, 7] },
    { $pull: { a: { x: { $gt: 3 } } } },
    { a: [{ x: 1 }, 7] },
  ],
  [
    '$pull by a regular expression',
    { a: ['abc', 'x', 1] },
    { $pull: { a: /^a/ } },
    { a: ['x', 1] },
    { differs: { documentdb: 'does not match regular expressions in $pull' } },
  ],
  ['$pull an array', { a: [[1, 2], [2]] }, { $pull: { a: [1, 2] } }, { a: [[2]] }],
  ['$pull null', { a: [null, 1] }, { $pull: { a: null } }, { a: [1] }],
  ['$pull from a missing field', {}, { $pull: { a: 1 } }, {}],
  ['$pull from no array', { a: 1 }, { $pull: { a: 1 } }, 2],
  [
    '$pull with $or',
    { a: [{ x: 1 }, { y: 2 }, { z: 3 }] },
    { $pull: { a: { $or: [{ x: 1 }, { y: 2 }] } } },
    { a: [{ z: 3 }] },
  ],
]

export const positionCases: UpdateCase[] = [
  ['the matched element', { a: [1, 2, 3] }, { $set: { 'a.$': 9 } }, { a: [1, 9, 3] }, { filter: { a: 2 } }],
  [
    'a field of the matched element',
    { a: [{ x: 1 }, { x: 2 }] },
    { $set: { 'a.$.y': 9 } },
    { a: [{ x: 1 }, { x: 2, y: 9 }] },
    { filter: { 'a.x': 2 } },
  ],
  [
    'the element that $elemMatch matched',
    {
      a: [
        { x: 1, y: 1 },
        { x: 1, y: 2 },
      ],
    },
    { $inc: { 'a.$.n': 1 } },
    {
      a: [
        { x: 1, y: 1 },
        { x: 1, y: 2, n: 1 },
      ],
    },
    { filter: { a: { $elemMatch: { x: 1, y: 2 } } } },
  ],
  [
    'the element that $in matched',
    { a: [1, 2, 3] },
    { $set: { 'a.$': 0 } },
    { a: [1, 0, 3] },
    { filter: { a: { $in: [2, 3] } } },
  ],
  ['no matched element', { a: [1] }, { $set: { 'a.$': 9 } }, 2],
  ['the position first', {}, { $set: { $: 1 } }, 2],
  ['two positions', { a: [[1]] }, { $set: { 'a.$.$': 1 } }, 2, { filter: { a: [1] } }],
]

export const wholeCases: UpdateCase[] = [
  ['a replacement keeps the _id', { a: 1, b: 2 }, { c: 3 }, { c: 3 }],
  ['an empty replacement', { a: 1 }, {}, {}],
  [
    'a pipeline sets from other fields',
    { a: 1, b: 2 },
    [{ $set: { c: { $add: ['$a', '$b'] } } }],
    { a: 1, b: 2, c: 3 },
  ],
  ['a pipeline keeps the place of a field', { a: 1, b: 2 }, [{ $set: { a: { $add: ['$a', 1] } } }], { a: 2, b: 2 }],
  ['a pipeline with $unset', { a: 1, b: 2 }, [{ $unset: 'a' }], { b: 2 }],
  [
    'a pipeline into an embedded document',
    { o: { x: 1 } },
    [{ $set: { 'o.y': 2, 'p.q': '$o.x' } }],
    { o: { x: 1, y: 2 }, p: { q: 1 } },
  ],
  ['a pipeline into the elements', { o: [{ x: 1 }, 5] }, [{ $set: { 'o.y': 2 } }], { o: [{ x: 1, y: 2 }, { y: 2 }] }],
  ['a pipeline in place of a scalar', { o: 5 }, [{ $set: { 'o.y': 2 } }], { o: { y: 2 } }],
  ['a pipeline that sets what is missing removes the field', { a: 1, b: 2 }, [{ $set: { a: '$no' } }], { b: 2 }],
  ['a pipeline with a literal', { a: 1 }, [{ $set: { b: { $literal: '$a' } } }], { a: 1, b: '$a' }],
  [
    'a pipeline whose stages see what those before them made',
    { a: 1 },
    [{ $set: { b: '$a' } }, { $set: { c: '$b' } }],
    { a: 1, b: 1, c: 1 },
  ],
  ['a pipeline that sets nothing', { a: 1 }, [{ $set: {} }], 40177, { differs: { documentdb: 'changes nothing' } }],
  ['a pipeline with a default', {}, [{ $set: { n: { $add: [{ $ifNull: ['$n', 0] }, 1] } } }], { n: 1 }],
  [
    'a pipeline keeps types it does not touch',
    { l: long('1'), d: new Double(1), i: 1, r: new BSONRegExp('x', 'i') },
    [{ $set: { z: 1 } }],
    { l: long('1'), d: new Double(1), i: 1, r: new BSONRegExp('x', 'i'), z: 1 },
  ],
  ['a pipeline that changes the _id', {}, [{ $set: { _id: 99 } }], 66],
]

/**
 * A filter, an update, and the document that an upsert creates from them, or a code. The `_id` is given, so that none
 * is generated.
 */
export type UpsertCase = readonly [
  name: string,
  filter: Document,
  update: Document | Document[],
  made: Document | number,
]

export const upserts: UpsertCase[] = [
  [
    'equalities of the filter',
    { _id: 1, a: 1, b: { $gt: 5 }, c: { $eq: 3 } },
    { $set: { z: 1 } },
    { _id: 1, a: 1, c: 3, z: 1 },
  ],
  [
    'equalities inside $and, and in $or with one clause',
    { $and: [{ _id: 1 }, { a: 2 }], $or: [{ b: 3 }] },
    { $set: { z: 1 } },
    { _id: 1, a: 2, b: 3, z: 1 },
  ],
  ['nothing from $or with two clauses', { _id: 1, $or: [{ b: 3 }, { b: 4 }] }, { $set: { z: 1 } }, { _id: 1, z: 1 }],
  ['nothing from a regular expression', { _id: 1, a: /x/ }, { $set: { z: 1 } }, { _id: 1, z: 1 }],
  ['null is an equality', { _id: 1, a: null }, { $set: { z: 1 } }, { _id: 1, a: null, z: 1 }],
  ['embedded fields', { _id: 1, 'a.b': 1, 'a.c': 2 }, { $set: { 'a.d': 3 } }, { _id: 1, a: { b: 1, c: 2, d: 3 } }],
  ['an embedded _id', { '_id.a': 9 }, { $set: { z: 1 } }, { _id: { a: 9 }, z: 1 }],
  ['the update goes over the filter', { _id: 1, a: 1 }, { $set: { a: 2 } }, { _id: 1, a: 2 }],
  ['$setOnInsert', { _id: 1 }, { $setOnInsert: { a: 1 }, $inc: { n: 1 } }, { _id: 1, a: 1, n: 1 }],
  ['the _id from $setOnInsert comes first', { a: 1 }, { $setOnInsert: { _id: 7 } }, { _id: 7, a: 1 }],
  ['$push onto a value of the filter', { _id: 1, a: [1] }, { $push: { a: 2 } }, { _id: 1, a: [1, 2] }],
  ['a replacement takes the _id of the filter alone', { _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
  ['a pipeline', { _id: 1, a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { _id: 1, a: 1, b: 2 }],
  ['another _id', { _id: 1 }, { $set: { _id: 2 } }, 66],
  ['another _id in a replacement', { _id: 1 }, { _id: 2 }, 66],
  ['a field twice', { $and: [{ a: 1 }, { a: 1 }] }, { $set: { z: 1 } }, 54],
  ['a field and one inside it', { a: 1, 'a.b': 2 }, { $set: { z: 1 } }, 54],
]
