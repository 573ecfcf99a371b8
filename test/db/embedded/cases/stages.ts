import { Binary, Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** A pipeline over `docs` (and the collection `other`), and its results in order, or the code of the refusal. */
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
  [
    '$project includes and computes',
    abc,
    [byId, { $project: { _id: 0, k: 1, m: { $add: ['$n', 10] } } }, { $limit: 1 }],
    [{ k: 'a', m: 11 }],
  ],
  [
    '$project computes in place of a field',
    abc,
    [byId, { $project: { n: '$k' } }, { $limit: 1 }],
    [{ _id: 1, n: 'a' }],
  ],
  ['$project leaves out what is missing', [{ _id: 1 }], [{ $project: { z: '$no' } }], [{ _id: 1 }]],
  ['$project computes after an excluded field', abc, [{ $project: { k: 0, z: '$n' } }], 31252],
  ['$project excludes after a computed field', abc, [{ $project: { z: '$n', k: 0 } }], 31254],
  ['$project computes a path twice', abc, [{ $project: { 'o.x': '$n', o: '$k' } }], 31250],
  [
    'types stay through the stages',
    [{ _id: 1, l: long(1), d: double(1), i: 1, b: new Binary(Buffer.from('a'), 4) }],
    [{ $match: {} }, { $project: { _id: 1, l: 1, d: 1, i: 1, b: 1 } }, { $sort: { _id: 1 } }],
    [{ _id: 1, l: long(1), d: double(1), i: 1, b: new Binary(Buffer.from('a'), 4) }],
  ],
  ['an unknown stage', abc, [{ $nothing: {} }], 40324],
  ['two stages in one document', abc, [{ $limit: 1, $match: {} }], 40323],
  ['$project excludes', abc, [byId, { $project: { k: 0 } }, { $limit: 1 }], [{ _id: 1, n: 1 }]],
  ['$project with nothing', abc, [{ $project: {} }], 51272, { differs: { documentdb: 'projects everything' } }],
  ['$project with a mix', abc, [{ $project: { k: 1, n: 0 } }], 31254],
  ['$limit is positive', abc, [{ $limit: 0 }], 15958],
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
      { _id: 4, k: double(1) },
    ],
    [{ $group: { _id: '$k', n: { $sum: 1 } } }, { $project: { _id: 0 } }],
    [{ n: 4 }],
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
  ['$group with no accumulator', abc, [{ $group: { _id: null, n: '$k' } }], 40234],
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
    '$lookup of missing finds missing',
    [{ _id: 1 }],
    [{ $lookup: { from: 'other', localField: 'who', foreignField: 'name', as: 'p' } }, { $project: { ids: '$p._id' } }],
    [{ _id: 1, ids: [3] }],
    { other: people },
  ],
  [
    '$lookup from a collection that is not there',
    [{ _id: 1 }],
    [{ $lookup: { from: 'nowhere', localField: 'a', foreignField: 'b', as: 'p' } }],
    [{ _id: 1, p: [] }],
  ],
  ['$lookup without as', [{ _id: 1 }], [{ $lookup: { from: 'other', localField: 'a', foreignField: 'b' } }], 9],
  ['$lookup with half of the fields', [{ _id: 1 }], [{ $lookup: { from: 'other', localField: 'a', as: 'p' } }], 9],
]
