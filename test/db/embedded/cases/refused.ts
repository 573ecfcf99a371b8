import { Code, Decimal128, MaxKey, MinKey, Timestamp } from 'bson'
import type { Document } from 'bson'

/** The name that the message of the refusal contains, a MongoDB command that the store refuses, and the error code. */
export type RefusedCase = readonly [word: string, command: Document, code: number]

const find = (filter: Document): Document => ({ find: 'c', filter })
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} })
const compute = (expression: Document): Document => aggregate({ $project: { v: expression } })
const update = (u: Document | Document[]): Document => ({ update: 'c', updates: [{ q: {}, u }] })
const store = (value: unknown): Document => ({ insert: 'c', documents: [{ value }] })
const index = (options: Document): Document => ({
  createIndexes: 'c',
  indexes: [{ key: { z: 1 }, name: 'z', ...options }],
})

export const commandCases: RefusedCase[] = [
  ['buildInfo', { buildInfo: 1 }, 59],
  ['create', { create: 'd' }, 59],
  ['drop', { drop: 'c' }, 59],
  ['listIndexes', { listIndexes: 'c' }, 59],
  ['dropIndexes', { dropIndexes: 'c', index: '*' }, 59],
  ['dbStats', { dbStats: 1 }, 59],
  ['commitTransaction', { commitTransaction: 1 }, 59],
  ['mapReduce', { mapReduce: 'c' }, 59],
  ['count', { explain: { count: 'c' } }, 59],
  ['transaction', { find: 'c', txnNumber: 1n, autocommit: false, startTransaction: true }, 263],
]

export const optionCases: RefusedCase[] = [
  ['collation', { find: 'c', collation: { locale: 'simple' } }, 40415],
  ['hint', { find: 'c', hint: { a: 1 } }, 40415],
  ['let', { find: 'c', let: { a: 1 } }, 40415],
  ['tailable', { find: 'c', tailable: true }, 40415],
  ['min', { find: 'c', min: { a: 1 } }, 40415],
  ['readConcern', { find: 'c', readConcern: { level: 'majority' } }, 40415],
  ['comment', { find: 'c', comment: 'x' }, 40415],
  ['allowDiskUse', { aggregate: 'c', pipeline: [], cursor: {}, allowDiskUse: true }, 40415],
  ['query', { count: 'c', query: { a: 1 } }, 40415],
  ['arrayFilters', { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, arrayFilters: [] }] }, 40415],
  ['bypassDocumentValidation', { insert: 'c', documents: [{}], bypassDocumentValidation: true }, 40415],
  ['wtimeout', { insert: 'c', documents: [{}], writeConcern: { w: 1, wtimeout: 5 } }, 40415],
  ['data-bearing', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 100],
]

export const queryCases: RefusedCase[] = [
  ['$expr', find({ $expr: { $gt: ['$a', 1] } }), 2],
  ['$where', find({ $where: 'true' }), 2],
  ['$text', find({ $text: { $search: 'x' } }), 2],
  ['$jsonSchema', find({ $jsonSchema: {} }), 2],
  ['$comment', find({ $comment: 'x' }), 2],
  ['$all', find({ a: { $all: [1] } }), 2],
  ['$type', find({ a: { $type: 'int' } }), 2],
  ['$mod', find({ a: { $mod: [2, 0] } }), 2],
  ['$bitsAllSet', find({ a: { $bitsAllSet: 1 } }), 2],
  ['$near', find({ a: { $near: [0, 0] } }), 2],
  ['/a.b/', find({ a: { $regex: 'a.b' } }), 115],
  ['/a|b/', find({ a: { $regex: 'a|b' } }), 115],
  ['/a$/', find({ a: { $regex: 'a$' } }), 115],
  ['/a/m', find({ a: { $regex: 'a', $options: 'm' } }), 115],
  ['$natural', { find: 'c', sort: { $natural: 1 } }, 16410],
]

export const projectionCases: RefusedCase[] = [
  ['$slice', { find: 'c', projection: { a: { $slice: 1 } } }, 115],
  ['$elemMatch', { find: 'c', projection: { a: { $elemMatch: { b: 1 } } } }, 115],
  ['$meta', { find: 'c', projection: { a: { $meta: 'textScore' } } }, 115],
  ['$add', { find: 'c', projection: { a: { $add: [1, 1] } } }, 115],
  ['string', { find: 'c', projection: { a: '$b' } }, 115],
  ['$', { find: 'c', filter: { a: 1 }, projection: { 'a.$': 1 } }, 16410],
]

export const updateCases: RefusedCase[] = [
  ['$mul', update({ $mul: { a: 2 } }), 9],
  ['$rename', update({ $rename: { a: 'b' } }), 9],
  ['$bit', update({ $bit: { a: { and: 1 } } }), 9],
  ['$currentDate', update({ $currentDate: { a: true } }), 9],
  ['$pop', update({ $pop: { a: 1 } }), 9],
  ['$pullAll', update({ $pullAll: { a: [1] } }), 9],
  ['$position', update({ $push: { a: { $each: [1], $position: 0 } } }), 2],
  ['$sort by fields', update({ $push: { a: { $each: [1], $sort: { x: 1 } } } }), 115],
  ['$[]', update({ $set: { 'a.$[]': 1 } }), 115],
  ['$[one]', update({ $set: { 'a.$[one]': 1 } }), 115],
  ['$replaceWith', update([{ $replaceWith: '$a' }]), 40324],
  ['$project', update([{ $project: { a: 1 } }]), 40324],
]

const otherStages = `$addFields $set $unset $skip $count $unwind $facet $bucket $sortByCount $replaceRoot $unionWith
  $graphLookup $out $merge $changeStream $sample $search`

export const stageCases: RefusedCase[] = otherStages
  .split(/\s+/)
  .map((name): RefusedCase => [name, aggregate({ [name]: 'x' }), 40324])

stageCases.push(
  ['pipeline', aggregate({ $lookup: { from: 'd', as: 'x', pipeline: [] } }), 115],
  ['$avg', aggregate({ $group: { _id: null, v: { $avg: '$a' } } }), 15952],
  ['$first', aggregate({ $group: { _id: null, v: { $first: '$a' } } }), 15952],
)

const otherExpressions = `$multiply $divide $eq $ne $lt $and $not $switch $let $map $filter $reduce $mergeObjects $toString
  $toDate $dateToString $dateAdd $toUpper $size $in $regexMatch`

export const expressionCases: RefusedCase[] = otherExpressions
  .split(/\s+/)
  .map((name): RefusedCase => [name, compute({ [name]: ['$a', '$b'] }), 168])

expressionCases.push(
  ['ROOT', aggregate({ $project: { v: '$$ROOT' } }), 17276],
  ['REMOVE', aggregate({ $project: { v: '$$REMOVE' } }), 17276],
  ['$cond', compute({ $cond: { if: true, else: 1 } }), 115],
  ['hour', compute({ $dateTrunc: { date: '$a', unit: 'hour' } }), 115],
  ['timezone', compute({ $dateTrunc: { date: '$a', unit: 'minute', timezone: 'Europe/Berlin' } }), 115],
)

export const typeCases: RefusedCase[] = [
  ['decimal', store(Decimal128.fromString('1')), 115],
  ['timestamp', store(new Timestamp({ t: 1, i: 1 })), 115],
  ['javascript', store(new Code('x')), 115],
  ['javascriptWithScope', store(new Code('x', { a: 1 })), 115],
  ['minKey', store(new MinKey()), 115],
  ['maxKey', find({ a: { $lt: new MaxKey() } }), 115],
]

export const indexCases: RefusedCase[] = [
  ['text', index({ key: { a: 'text' } }), 67],
  ['hashed', index({ key: { a: 'hashed' } }), 67],
  ['collation', index({ collation: { locale: 'de' } }), 197],
  ['hidden', index({ hidden: true }), 197],
  ['background', index({ background: true }), 197],
  ['a', index({ partialFilterExpression: { a: { $gt: 5 } } }), 67],
  ['$or', index({ partialFilterExpression: { $or: [{ a: 1 }] } }), 67],
]
