import { Binary, Decimal128, Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** A pipeline over `docs` (and the collection `other`), and what comes out in order, or the code of the refusal. */
export type StageCase = readonly [
  name: string,
  docs: Document[],
  pipeline: Document[],
  out: Document[] | number,
  options?: { other?: Document[]; unordered?: true; differs?: Differs },
]

const long = (value: number) => Long.fromNumber(value)
const double = (value: number) => new Double(value)
const abc = [
  { _id: 1, k: 'a', n: 1 },
  { _id: 2, k: 'b', n: 2 },
  { _id: 3, k: 'a', n: 3 },
]
const byId = { $sort: { _id: 1 } }

export const shapeCases: StageCase[] = [
  ['$match', abc, [{ $match: { k: 'a' } }, byId], [abc[0] ?? {}, abc[2] ?? {}]],
  ['$match with $expr', abc, [{ $match: { $expr: { $gt: ['$n', 2] } } }], [abc[2] ?? {}]],
  [
    '$project includes and computes',
    abc,
    [byId, { $project: { _id: 0, k: 1, m: { $multiply: ['$n', 10] } } }, { $limit: 1 }],
    [{ k: 'a', m: 10 }],
  ],
  ['$project excludes', abc, [byId, { $project: { k: 0 } }, { $limit: 1 }], [{ _id: 1, n: 1 }]],
  [
    '$project a document of expressions',
    abc,
    [byId, { $limit: 1 }, { $project: { _id: 0, o: { x: '$k', y: ['$n'] } } }],
    [{ o: { x: 'a', y: [1] } }],
  ],
  ['$project with nothing', abc, [{ $project: {} }], 51272, { differs: { documentdb: 'projects everything' } }],
  ['$project with a mix', abc, [{ $project: { k: 1, n: 0 } }], 31254],
  [
    '$addFields keeps everything',
    abc,
    [byId, { $limit: 1 }, { $addFields: { m: '$n', n: 5 } }],
    [{ _id: 1, k: 'a', n: 5, m: 1 }],
  ],
  [
    '$set into an embedded document',
    [{ _id: 1, o: { x: 1 } }],
    [{ $set: { 'o.y': 2, p: { q: '$o.x' } } }],
    [{ _id: 1, o: { x: 1, y: 2 }, p: { q: 1 } }],
  ],
  [
    '$set into the elements',
    [{ _id: 1, o: [{ x: 1 }, 5] }],
    [{ $set: { 'o.y': 2 } }],
    [{ _id: 1, o: [{ x: 1, y: 2 }, { y: 2 }] }],
  ],
  ['$set in place of a scalar', [{ _id: 1, o: 5 }], [{ $set: { 'o.y': 2 } }], [{ _id: 1, o: { y: 2 } }]],
  ['$set $$REMOVE', abc, [byId, { $limit: 1 }, { $set: { n: '$$REMOVE' } }], [{ _id: 1, k: 'a' }]],
  ['$unset', abc, [byId, { $limit: 1 }, { $unset: ['k', 'n'] }], [{ _id: 1 }]],
  ['$unset an embedded field', [{ _id: 1, o: { x: 1, y: 2 } }], [{ $unset: 'o.x' }], [{ _id: 1, o: { y: 2 } }]],
  ['$replaceRoot', [{ _id: 1, o: { x: 1 } }], [{ $replaceRoot: { newRoot: '$o' } }], [{ x: 1 }]],
  [
    '$replaceWith',
    [{ _id: 1, o: { x: 1 } }],
    [{ $replaceWith: { $mergeObjects: ['$o', { y: 2 }] } }],
    [{ x: 1, y: 2 }],
  ],
  ['$replaceRoot with no document', [{ _id: 1 }], [{ $replaceRoot: { newRoot: '$no' } }], 40228],
  ['$count', abc, [{ $count: 'total' }], [{ total: 3 }]],
  ['$count of nothing', [], [{ $count: 'total' }], [], { differs: { documentdb: 'answers 0' } }],
  ['$count needs a name', abc, [{ $count: '' }], 40157],
  ['$limit and $skip', abc, [byId, { $skip: 1 }, { $limit: 1 }], [abc[1] ?? {}]],
  ['$limit is positive', abc, [{ $limit: 0 }], 15958],
  ['an unknown stage', abc, [{ $nothing: {} }], 40324],
  ['two stages in one document', abc, [{ $limit: 1, $skip: 1 }], 40323],
  ['a stage that is not supported', abc, [{ $out: 'x' }], 115, { differs: { documentdb: 'has $out' } }],
  [
    'types stay through the stages',
    [{ _id: 1, l: long(1), d: double(1), i: 1, b: new Binary(Buffer.from('a'), 4), m: Decimal128.fromString('1.10') }],
    [{ $set: { z: 1 } }, { $unset: 'z' }, { $match: { i: 1 } }],
    [{ _id: 1, l: long(1), d: double(1), i: 1, b: new Binary(Buffer.from('a'), 4), m: Decimal128.fromString('1.10') }],
  ],
]

export const groupCases: StageCase[] = [
  [
    '$group with $sum',
    abc,
    [{ $group: { _id: '$k', total: { $sum: '$n' } } }, byId],
    [
      { _id: 'a', total: 4 },
      { _id: 'b', total: 2 },
    ],
  ],
  ['$group of everything', abc, [{ $group: { _id: null, n: { $sum: 1 } } }], [{ _id: null, n: 3 }]],
  ['$group of nothing', [], [{ $group: { _id: null, n: { $sum: 1 } } }], []],
  [
    '$group by missing is by null',
    [{ _id: 1 }, { _id: 2, k: null }],
    [{ $group: { _id: '$k', n: { $sum: 1 } } }],
    [{ _id: null, n: 2 }],
  ],
  [
    '$group by numbers of all types',
    [
      { _id: 1, k: 1 },
      { _id: 2, k: double(1) },
      { _id: 3, k: long(1) },
      { _id: 4, k: Decimal128.fromString('1.0') },
    ],
    [{ $group: { _id: '$k', n: { $sum: 1 } } }, { $project: { _id: 0 } }],
    [{ n: 4 }],
  ],
  [
    '$group by a document',
    abc,
    [{ $group: { _id: { k: '$k', odd: { $mod: ['$n', 2] } } } }, byId],
    [{ _id: { k: 'a', odd: 1 } }, { _id: { k: 'b', odd: 0 } }],
  ],
  [
    '$group by an array',
    [
      { _id: 1, k: [1, 2] },
      { _id: 2, k: [1, 2] },
    ],
    [{ $group: { _id: '$k', n: { $sum: 1 } } }],
    [{ _id: [1, 2], n: 2 }],
  ],
  ['$avg', abc, [{ $group: { _id: null, v: { $avg: '$n' } } }], [{ _id: null, v: double(2) }]],
  ['$avg of no numbers', abc, [{ $group: { _id: null, v: { $avg: '$k' } } }], [{ _id: null, v: null }]],
  [
    '$min and $max',
    abc,
    [{ $group: { _id: null, a: { $min: '$n' }, b: { $max: '$k' }, c: { $max: '$no' } } }],
    [{ _id: null, a: 1, b: 'b', c: null }],
  ],
  [
    '$push',
    abc,
    [byId, { $group: { _id: '$k', all: { $push: '$n' } } }, byId],
    [
      { _id: 'a', all: [1, 3] },
      { _id: 'b', all: [2] },
    ],
  ],
  [
    '$push leaves missing out',
    [{ _id: 1, n: 1 }, { _id: 2 }],
    [byId, { $group: { _id: null, all: { $push: '$n' } } }],
    [{ _id: null, all: [1] }],
  ],
  [
    '$push documents',
    abc,
    [
      byId,
      { $group: { _id: null, all: { $push: { k: '$k', n: '$n' } } } },
      { $project: { _id: 0, first: { $first: '$all' } } },
    ],
    [{ first: { k: 'a', n: 1 } }],
  ],
  [
    '$addToSet',
    abc,
    [
      { $group: { _id: null, all: { $addToSet: '$k' } } },
      { $project: { _id: 0, all: { $sortArray: { input: '$all', sortBy: 1 } } } },
    ],
    [{ all: ['a', 'b'] }],
  ],
  [
    '$first and $last',
    abc,
    [byId, { $group: { _id: '$k', f: { $first: '$n' }, l: { $last: '$n' } } }, byId],
    [
      { _id: 'a', f: 1, l: 3 },
      { _id: 'b', f: 2, l: 2 },
    ],
  ],
  [
    '$count as an accumulator',
    abc,
    [{ $group: { _id: '$k', n: { $count: {} } } }, byId],
    [
      { _id: 'a', n: 2 },
      { _id: 'b', n: 1 },
    ],
  ],
  [
    '$sum of an expression',
    abc,
    [{ $group: { _id: null, v: { $sum: { $cond: [{ $eq: ['$k', 'a'] }, '$n', 0] } } } }],
    [{ _id: null, v: 4 }],
  ],
  [
    '$sum beyond int',
    [
      { _id: 1, n: 2147483647 },
      { _id: 2, n: 1 },
    ],
    [{ $group: { _id: null, v: { $sum: '$n' } } }],
    [{ _id: null, v: long(2147483648) }],
  ],
  [
    '$sum of doubles keeps the error small',
    Array.from({ length: 10 }, (_, _id) => ({ _id, n: 0.1 })),
    [{ $group: { _id: null, v: { $sum: '$n' } } }],
    [{ _id: null, v: double(1) }],
    { differs: { documentdb: 'adds doubles without compensation' } },
  ],
  ['$sum passes over text', abc, [{ $group: { _id: null, v: { $sum: '$k' } } }], [{ _id: null, v: 0 }]],
  ['$group needs an _id', abc, [{ $group: { n: { $sum: 1 } } }], 15955],
  ['$group with an unknown accumulator', abc, [{ $group: { _id: null, n: { $nothing: 1 } } }], 15952],
  ['$group with no accumulator', abc, [{ $group: { _id: null, n: '$k' } }], 40234],
  [
    '$sortByCount',
    abc,
    [{ $sortByCount: '$k' }],
    [
      { _id: 'a', count: 2 },
      { _id: 'b', count: 1 },
    ],
  ],
  [
    '$bucket',
    abc,
    [{ $bucket: { groupBy: '$n', boundaries: [0, 2, 4] } }],
    [
      { _id: 0, count: 1 },
      { _id: 2, count: 2 },
    ],
  ],
  [
    '$bucket with a default and output',
    abc,
    [{ $bucket: { groupBy: '$n', boundaries: [0, 2], default: 'rest', output: { ns: { $sum: '$n' } } } }],
    [
      { _id: 0, ns: 1 },
      { _id: 'rest', ns: 5 },
    ],
  ],
  [
    '$bucket without a place',
    abc,
    [{ $bucket: { groupBy: '$n', boundaries: [0, 2] } }],
    40066,
    { differs: { documentdb: 'answers 2' } },
  ],
  ['$bucket with boundaries out of order', abc, [{ $bucket: { groupBy: '$n', boundaries: [2, 0] } }], 40194],
]

export const sortCases: StageCase[] = [
  [
    '$sort descending',
    abc,
    [{ $sort: { n: -1 } }, { $project: { n: 1 } }],
    [
      { _id: 3, n: 3 },
      { _id: 2, n: 2 },
      { _id: 1, n: 1 },
    ],
  ],
  [
    '$sort by two fields',
    abc,
    [{ $sort: { k: -1, n: -1 } }, { $project: { _id: 1 } }],
    [{ _id: 2 }, { _id: 3 }, { _id: 1 }],
  ],
  [
    '$sort across types',
    [
      { _id: 1, v: 'x' },
      { _id: 2, v: 5 },
      { _id: 3, v: null },
      { _id: 4, v: true },
      { _id: 5, v: {} },
      { _id: 6, v: new Date(0) },
    ],
    [{ $sort: { v: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 3 }, { _id: 2 }, { _id: 1 }, { _id: 5 }, { _id: 4 }, { _id: 6 }],
  ],
  [
    '$sort takes missing for null',
    [{ _id: 1, v: null }, { _id: 2 }, { _id: 3, v: 0 }],
    [{ $sort: { v: 1, _id: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 1 }, { _id: 2 }, { _id: 3 }],
  ],
  [
    '$sort by the least element',
    [
      { _id: 1, v: [5, 1] },
      { _id: 2, v: 2 },
      { _id: 3, v: [] },
    ],
    [{ $sort: { v: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 3 }, { _id: 1 }, { _id: 2 }],
  ],
  [
    '$sort descending by the greatest element',
    [
      { _id: 1, v: [5, 1] },
      { _id: 2, v: 2 },
      { _id: 3, v: 9 },
    ],
    [{ $sort: { v: -1 } }, { $project: { _id: 1 } }],
    [{ _id: 3 }, { _id: 1 }, { _id: 2 }],
  ],
  [
    '$sort by a field of elements',
    [
      { _id: 1, v: [{ x: 3 }, { x: 2 }] },
      { _id: 2, v: [{ x: 1 }] },
      { _id: 3, v: { x: 0 } },
    ],
    [{ $sort: { 'v.x': 1 } }, { $project: { _id: 1 } }],
    [{ _id: 3 }, { _id: 2 }, { _id: 1 }],
  ],
  [
    '$sort longs exactly',
    [
      { _id: 1, v: Long.fromString('9007199254740993') },
      { _id: 2, v: Long.fromString('9007199254740992') },
    ],
    [{ $sort: { v: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 2 }, { _id: 1 }],
  ],
  [
    '$sort strings by code point',
    [
      { _id: 1, v: '😀' },
      { _id: 2, v: '\uFB01' },
      { _id: 3, v: 'Z' },
      { _id: 4, v: 'a' },
    ],
    [{ $sort: { v: 1 } }, { $project: { _id: 1 } }],
    [{ _id: 3 }, { _id: 4 }, { _id: 2 }, { _id: 1 }],
  ],
  ['$sort direction is 1 or -1', abc, [{ $sort: { n: 2 } }], 15975],
  ['$sort with nothing', abc, [{ $sort: {} }], 15976],
]

export const unwindCases: StageCase[] = [
  [
    '$unwind',
    [{ _id: 1, a: [1, 2] }],
    [{ $unwind: '$a' }],
    [
      { _id: 1, a: 1 },
      { _id: 1, a: 2 },
    ],
  ],
  [
    '$unwind drops empty, null and missing',
    [{ _id: 1, a: [] }, { _id: 2, a: null }, { _id: 3 }, { _id: 4, a: 5 }],
    [{ $unwind: '$a' }],
    [{ _id: 4, a: 5 }],
  ],
  [
    '$unwind keeps them if asked',
    [{ _id: 1, a: [] }, { _id: 2, a: null }, { _id: 3 }],
    [byId, { $unwind: { path: '$a', preserveNullAndEmptyArrays: true } }],
    [{ _id: 1 }, { _id: 2, a: null }, { _id: 3 }],
  ],
  [
    '$unwind with an index',
    [{ _id: 1, a: ['x', 'y'] }],
    [{ $unwind: { path: '$a', includeArrayIndex: 'i' } }],
    [
      { _id: 1, a: 'x', i: long(0) },
      { _id: 1, a: 'y', i: long(1) },
    ],
  ],
  [
    '$unwind an embedded array',
    [{ _id: 1, a: { b: [1, 2], c: 1 } }],
    [{ $unwind: '$a.b' }],
    [
      { _id: 1, a: { b: 1, c: 1 } },
      { _id: 1, a: { b: 2, c: 1 } },
    ],
  ],
  ['$unwind a path without $', [], [{ $unwind: 'a' }], 28818],
]

const people = [{ _id: 1, name: 'x', tags: [1, 2] }, { _id: 2, name: 'y', tags: [2] }, { _id: 3 }]

export const joinCases: StageCase[] = [
  [
    '$lookup by equal fields',
    [
      { _id: 1, who: 1 },
      { _id: 2, who: 9 },
    ],
    [byId, { $lookup: { from: 'other', localField: 'who', foreignField: '_id', as: 'p' } }],
    [
      { _id: 1, who: 1, p: [people[0]] },
      { _id: 2, who: 9, p: [] },
    ],
    { other: people },
  ],
  [
    '$lookup from an array',
    [{ _id: 1, who: [1, 2] }],
    [
      { $lookup: { from: 'other', localField: 'who', foreignField: '_id', as: 'p' } },
      { $project: { n: { $size: '$p' } } },
    ],
    [{ _id: 1, n: 2 }],
    { other: people },
  ],
  [
    '$lookup into an array',
    [{ _id: 1, tag: 2 }],
    [
      { $lookup: { from: 'other', localField: 'tag', foreignField: 'tags', as: 'p' } },
      { $project: { ids: { $sortArray: { input: '$p._id', sortBy: 1 } } } },
    ],
    [{ _id: 1, ids: [1, 2] }],
    { other: people },
  ],
  [
    '$lookup of missing finds missing',
    [{ _id: 1 }],
    [{ $lookup: { from: 'other', localField: 'who', foreignField: 'name', as: 'p' } }, { $project: { ids: '$p._id' } }],
    [{ _id: 1, ids: [3] }],
    { other: people },
  ],
  [
    '$lookup from fields of elements',
    [{ _id: 1, who: [{ id: 1 }, { id: 2 }] }],
    [
      { $lookup: { from: 'other', localField: 'who.id', foreignField: '_id', as: 'p' } },
      { $project: { n: { $size: '$p' } } },
    ],
    [{ _id: 1, n: 2 }],
    { other: people },
  ],
  [
    '$lookup from a collection that is not there',
    [{ _id: 1 }],
    [{ $lookup: { from: 'nowhere', localField: 'a', foreignField: 'b', as: 'p' } }],
    [{ _id: 1, p: [] }],
  ],
  [
    '$lookup with a pipeline',
    [{ _id: 1, min: 2 }],
    [
      {
        $lookup: {
          from: 'other',
          let: { m: '$min' },
          pipeline: [{ $match: { $expr: { $gte: ['$_id', '$$m'] } } }, { $sort: { _id: 1 } }, { $project: { _id: 1 } }],
          as: 'p',
        },
      },
    ],
    [{ _id: 1, min: 2, p: [{ _id: 2 }, { _id: 3 }] }],
    { other: people },
  ],
  [
    '$lookup with a pipeline that compares with a variable',
    [
      { _id: 1, who: 'x' },
      { _id: 2, who: 'y' },
    ],
    [
      byId,
      {
        $lookup: {
          from: 'other',
          let: { w: '$who' },
          pipeline: [{ $match: { $expr: { $eq: ['$name', '$$w'] } } }, { $project: { _id: 1 } }],
          as: 'p',
        },
      },
    ],
    [
      { _id: 1, who: 'x', p: [{ _id: 1 }] },
      { _id: 2, who: 'y', p: [{ _id: 2 }] },
    ],
    { other: people },
  ],
  [
    '$lookup with a variable that is an array',
    [{ _id: 1, w: [1, 2] }],
    [
      {
        $lookup: {
          from: 'other',
          let: { w: '$w' },
          pipeline: [{ $match: { $expr: { $eq: ['$tags', '$$w'] } } }, { $project: { _id: 1 } }],
          as: 'p',
        },
      },
      { $project: { p: 1 } },
    ],
    [{ _id: 1, p: [{ _id: 1 }] }],
    { other: people },
  ],
  [
    '$lookup with a variable that is missing',
    [{ _id: 1 }],
    [
      {
        $lookup: {
          from: 'other',
          let: { w: '$no' },
          pipeline: [{ $match: { $expr: { $eq: ['$name', '$$w'] } } }, { $project: { _id: 1 } }],
          as: 'p',
        },
      },
    ],
    [{ _id: 1, p: [{ _id: 3 }] }],
    { other: people },
  ],
  [
    '$lookup with fields and a pipeline',
    [{ _id: 1, who: [1, 2] }],
    [
      {
        $lookup: {
          from: 'other',
          localField: 'who',
          foreignField: '_id',
          pipeline: [{ $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }],
          as: 'p',
        },
      },
      { $project: { p: 1 } },
    ],
    [{ _id: 1, p: [{ _id: 2 }] }],
    { other: people },
  ],
  [
    '$lookup into an embedded field',
    [{ _id: 1, who: 1, o: { x: 1 } }],
    [{ $lookup: { from: 'other', localField: 'who', foreignField: '_id', as: 'o.p' } }, { $project: { o: 1 } }],
    [{ _id: 1, o: { x: 1, p: [people[0]] } }],
    { other: people },
  ],
  ['$lookup without as', [{ _id: 1 }], [{ $lookup: { from: 'other', localField: 'a', foreignField: 'b' } }], 9],
  ['$lookup with half of the fields', [{ _id: 1 }], [{ $lookup: { from: 'other', localField: 'a', as: 'p' } }], 9],
  [
    '$unionWith',
    [{ _id: 1 }],
    [{ $unionWith: 'other' }, { $project: { _id: 1 } }, { $group: { _id: null, n: { $sum: 1 } } }],
    [{ _id: null, n: 4 }],
    { other: people },
  ],
  [
    '$unionWith a pipeline',
    [{ _id: 9 }],
    [{ $unionWith: { coll: 'other', pipeline: [{ $match: { name: 'x' } }, { $project: { _id: 1 } }] } }],
    [{ _id: 9 }, { _id: 1 }],
    { other: people },
  ],
  [
    '$facet',
    abc,
    [
      byId,
      { $facet: { total: [{ $count: 'n' }], top: [{ $sort: { n: -1 } }, { $limit: 1 }, { $project: { n: 1 } }] } },
    ],
    [{ total: [{ n: 3 }], top: [{ _id: 3, n: 3 }] }],
  ],
  ['$facet in $facet', abc, [{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
]
