import { Binary, Double, Long } from 'bson'
import type { Document } from 'bson'
import type { Differs } from './differs.ts'

/** An expression, its value for the document (`undefined` for missing), or `{code}` for a refusal. */
export type ExpressionCase = readonly [
  name: string,
  expression: unknown,
  value: unknown,
  doc?: Document,
  differs?: Differs,
]

const long = (value: number | string) => Long.fromString(String(value))
const double = (value: number) => new Double(value)
const refused = (code: number) => ({ code })
const day = new Date('2024-02-29T13:14:15.678Z')

export const pathCases: ExpressionCase[] = [
  ['a field', '$a', 1, { a: 1 }],
  ['a missing field', '$a', undefined, {}],
  ['an embedded field', '$a.b', 2, { a: { b: 2 } }],
  ['a field of each element', '$a.b', [1, 3], { a: [{ b: 1 }, { c: 2 }, { b: 3 }, 4] }],
  ['no index in a path', '$a.0', [], { a: [1, 2] }],
  ['a scalar on the way', '$a.b', undefined, { a: 1 }],
  ['an unknown variable', '$$nobody', refused(17276), {}],
  ['a literal', { $literal: '$a' }, '$a', { a: 1 }],
  ['a document of expressions', { x: '$a', y: { z: '$missing' } }, { x: 1, y: {} }, { a: 1 }],
  ['an array of expressions, null where missing', ['$a', '$missing'], [1, null], { a: 1 }],
  ['two operators in one document', { $add: [1], $subtract: [1, 1] }, refused(15983), {}],
  [
    'types stay',
    '$a',
    [long(1), double(1), new Binary(Buffer.from('a'), 5)],
    { a: [long(1), double(1), new Binary(Buffer.from('a'), 5)] },
  ],
]

export const arithmeticCases: ExpressionCase[] = [
  ['$add ints', { $add: [1, 2, 3] }, 6],
  ['$add beyond int', { $add: [2147483647, 1] }, long('2147483648')],
  ['$add a long', { $add: [1, long(2)] }, long(3)],
  ['$add a double', { $add: [1, 0.5] }, 1.5],
  ['$add longs exactly', { $add: [long('9007199254740993'), 1] }, long('9007199254740994')],
  ['$add null', { $add: [1, null] }, null],
  ['$add missing', { $add: [1, '$no'] }, null],
  ['$add nothing', { $add: [] }, 0],
  ['$add milliseconds to a date', { $add: [day, 1000] }, new Date('2024-02-29T13:14:16.678Z')],
  ['$add a string', { $add: [1, 'x'] }, refused(14)],
  ['$add two dates', { $add: [day, day] }, refused(16612)],
  ['$subtract', { $subtract: [5, 7] }, -2],
  ['$subtract dates', { $subtract: [new Date(5000), new Date(2000)] }, long(3000)],
  ['$subtract milliseconds from a date', { $subtract: [new Date(5000), 2000] }, new Date(3000)],
  ['$subtract below int', { $subtract: [-2147483648, 1] }, long('-2147483649')],
  ['$subtract a string', { $subtract: [1, 'x'] }, refused(14)],
  ['$subtract with one operand', { $subtract: [1] }, refused(16020)],
]

export const logicCases: ExpressionCase[] = [
  ['$gt across types goes by the BSON order', { $gt: ['a', 1000] }, true],
  ['$gte of binary data', { $gte: [new Binary(Buffer.from('b')), new Binary(Buffer.from('a'))] }, true],
  ['$gt of equal values', { $gt: [1, 1] }, false],
  ['$gte of equal values of two types', { $gte: [1, double(1)] }, true],
  ['$gt of a missing field against null', { $gt: [null, '$no'] }, true],
  ['$gt with one operand', { $gt: [1] }, refused(16020)],
  ['$cond', [{ $cond: ['$yes', 1, 2] }, { $cond: ['$no', 1, 2] }], [1, 2], { yes: 'x' }],
  ['$cond takes 0 and null for false', [{ $cond: [0, 1, 2] }, { $cond: [null, 1, 2] }], [2, 2]],
  ['$cond within $cond', { $cond: [false, 'a', { $cond: [{ $gt: ['$n', 0] }, 'b', 'c'] }] }, 'b', { n: 1 }],
  ['$cond with two operands', { $cond: [true, 1] }, refused(16020)],
  ['$ifNull with one operand', { $ifNull: [1] }, refused(1257300)],
  ['$ifNull', [{ $ifNull: ['$no', null, 3] }, { $ifNull: [1, 2] }], [3, 1]],
]

export const stringCases: ExpressionCase[] = [
  ['$concat', { $concat: ['a', '$b', 'c'] }, 'abc', { b: 'b' }],
  ['$concat null', { $concat: ['a', null] }, null],
  ['$concat a number', { $concat: ['a', 1] }, refused(16702)],
  ['$split', { $split: ['a,b,,c', ','] }, ['a', 'b', '', 'c']],
  ['$split null', { $split: [null, ','] }, null],
  ['$split of a number', { $split: [1, ','] }, refused(40085)],
  ['$split by a number', { $split: ['a', 1] }, refused(40086)],
  ['$split by nothing', { $split: ['a', ''] }, refused(40087)],
]

export const arrayCases: ExpressionCase[] = [
  ['$arrayElemAt', [{ $arrayElemAt: ['$a', 0] }, { $arrayElemAt: ['$a', -1] }], [1, 3], { a: [1, 2, 3] }],
  ['$arrayElemAt beyond the end', { $arrayElemAt: ['$a', 9] }, undefined, { a: [1] }],
  ['$arrayElemAt of null', { $arrayElemAt: [null, 0] }, null],
  ['$arrayElemAt at no number', { $arrayElemAt: ['$a', 'x'] }, refused(28690), { a: [1] }],
  ['$arrayElemAt at a fraction', { $arrayElemAt: ['$a', 0.5] }, refused(28691), { a: [1] }],
  ['$arrayElemAt of no array', { $arrayElemAt: [1, 0] }, refused(28689)],
]

export const dateCases: ExpressionCase[] = [
  [
    '$dateTrunc to quarters of an hour',
    { $dateTrunc: { date: '$d', unit: 'minute', binSize: 15 } },
    new Date('2024-02-29T13:00:00Z'),
    { d: day },
  ],
  [
    '$dateTrunc of a date before 2000',
    { $dateTrunc: { date: '$d', unit: 'minute', binSize: 15 } },
    new Date('1999-12-31T23:45:00Z'),
    { d: new Date('1999-12-31T23:59:59.999Z') },
  ],
  [
    '$dateTrunc to the minute',
    { $dateTrunc: { date: '$d', unit: 'minute' } },
    new Date('2024-02-29T13:14:00Z'),
    { d: day },
  ],
  ['$dateTrunc of a missing field', { $dateTrunc: { date: '$no', unit: 'minute' } }, null],
  ['$dateTrunc of no date', { $dateTrunc: { date: 'x', unit: 'minute' } }, refused(5439012)],
  [
    '$dateTrunc to bins of no size',
    { $dateTrunc: { date: '$d', unit: 'minute', binSize: 0 } },
    refused(5439018),
    { d: day },
  ],
]

/**
 * The pipeline that returns the value of an expression. A document literal must be distinguished from a nested
 * projection.
 */
export function projectionOf(expression: unknown): Document[] {
  const names = typeof expression === 'object' && !Array.isArray(expression) ? Object.keys(expression ?? {}) : ['$']
  const isOperator = names[0]?.startsWith('$') === true
  return [{ $project: { _id: 0, value: isOperator ? expression : { $ifNull: [expression, null] } } }]
}

/** The code that a case expects, undefined where it expects a value. */
export function refusalOf(value: unknown): number | undefined {
  const isRefusal = typeof value === 'object' && value !== null && Object.keys(value).join() === 'code'
  return isRefusal ? (value as { code: number }).code : undefined
}
