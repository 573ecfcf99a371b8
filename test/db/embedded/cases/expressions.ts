import { Binary, Decimal128, Double, Long, ObjectId } from 'bson'
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
const decimal = (text: string) => Decimal128.fromString(text)
const refused = (code: number) => ({ code })
const MAX = long('9223372036854775807')
/** Joined, because an object literal with it passes for a promise. */
const thenField = ['th', 'en'].join('')

const when = (test: object, value: unknown, rest = {}) => ({
  ...test,
  [thenField]: value,
  ...rest,
})
const day = new Date('2024-02-29T13:14:15.678Z')

export const pathCases: ExpressionCase[] = [
  ['a field', '$a', 1, { a: 1 }],
  ['a missing field', '$a', undefined, {}],
  ['an embedded field', '$a.b', 2, { a: { b: 2 } }],
  ['a field of each element', '$a.b', [1, 3], { a: [{ b: 1 }, { c: 2 }, { b: 3 }, 4] }],
  ['no index in a path', '$a.0', [], { a: [1, 2] }],
  ['a scalar on the way', '$a.b', undefined, { a: 1 }],
  ['$$ROOT', '$$ROOT.a', 1, { a: 1 }],
  ['$$CURRENT', '$$CURRENT.a', 1, { a: 1 }],
  ['$$REMOVE', '$$REMOVE', undefined, {}],
  ['an unknown variable', '$$nobody', refused(17276), {}],
  ['a literal', { $literal: '$a' }, '$a', { a: 1 }],
  ['a document of expressions', { x: '$a', y: { z: '$missing' } }, { x: 1, y: {} }, { a: 1 }],
  ['an array of expressions, null where missing', ['$a', '$missing'], [1, null], { a: 1 }],
  ['an unknown operator', { $nothing: 1 }, refused(168), {}, { documentdb: 'answers 8 (UnknownError)' }],
  ['two operators in one document', { $add: [1], $subtract: [1, 1] }, refused(15983), {}],
  [
    'types stay',
    '$a',
    [long(1), double(1), decimal('1'), new Binary(Buffer.from('a'), 5)],
    { a: [long(1), double(1), decimal('1'), new Binary(Buffer.from('a'), 5)] },
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
  ['$add decimals', { $add: [decimal('0.1'), decimal('0.2')] }, decimal('0.3')],
  ['$subtract', { $subtract: [5, 7] }, -2],
  ['$subtract dates', { $subtract: [new Date(5000), new Date(2000)] }, long(3000)],
  ['$subtract milliseconds from a date', { $subtract: [new Date(5000), 2000] }, new Date(3000)],
  ['$subtract below int', { $subtract: [-2147483648, 1] }, long('-2147483649')],
  ['$subtract a string', { $subtract: [1, 'x'] }, refused(14)],
  ['$subtract with one operand', { $subtract: [1] }, refused(16020)],
  ['$multiply', { $multiply: [2, 3] }, 6],
  ['$multiply beyond int', { $multiply: [2147483647, 2] }, long('4294967294')],
  ['$multiply null', { $multiply: [2, null] }, null],
  ['$multiply a string', { $multiply: [2, 'x'] }, refused(14)],
  ['$divide ints makes a double', { $divide: [6, 3] }, double(2)],
  ['$divide', { $divide: [1, 4] }, 0.25],
  ['$divide decimals', { $divide: [decimal('1'), decimal('4')] }, decimal('0.25')],
  ['$divide by 0', { $divide: [1, 0] }, refused(2)],
  ['$mod', { $mod: [7, 3] }, 1],
  ['$mod of a negative number', { $mod: [-7, 3] }, -1],
  ['$mod of doubles', { $mod: [7.5, 2] }, 1.5],
  ['$mod of longs', { $mod: [long('9007199254740993'), 10] }, long(3), {}, { documentdb: 'goes through a double' }],
  ['$mod by 0', { $mod: [1, 0] }, refused(16610)],
  ['$abs', { $abs: -3 }, 3],
  ['$abs of the least int', { $abs: -2147483648 }, long('2147483648')],
  ['$abs of a string', { $abs: 'x' }, refused(28765)],
  ['$ceil of a double stays a double', { $ceil: 1.2 }, double(2)],
  ['$floor', { $floor: -1.2 }, double(-2)],
  ['$floor of an int', { $floor: 5 }, 5],
  ['$round half to even', [{ $round: 2.5 }, { $round: 3.5 }, { $round: -2.5 }], [double(2), double(4), double(-2)]],
  ['$round to places', { $round: [1.2345, 2] }, 1.23],
  ['$round before the point', { $round: [1250, -2] }, 1200],
  ['$trunc', { $trunc: [-1.789, 1] }, -1.7],
  ['$round null', { $round: null }, null],
]

export const logicCases: ExpressionCase[] = [
  ['$eq across number types', { $eq: [1, long(1)] }, true],
  ['$eq of missing and null', { $eq: ['$no', null] }, false],
  [
    '$eq of documents with another field order',
    {
      $eq: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    false,
  ],
  ['$ne', { $ne: [1, 2] }, true],
  ['$gt across types goes by the BSON order', { $gt: ['a', 1000] }, true],
  ['$lt of astral strings', { $lt: ['\uFB01', '😀'] }, true],
  ['$lte null and missing', { $lte: ['$no', null] }, true],
  ['$gte of binary data', { $gte: [new Binary(Buffer.from('b')), new Binary(Buffer.from('a'))] }, true],
  ['$eq of longs that no double can hold', { $eq: [long('9007199254740993'), long('9007199254740992')] }, false],
  ['$cmp', [{ $cmp: [1, 2] }, { $cmp: [2, 2] }, { $cmp: ['a', 2] }], [-1, 0, 1]],
  ['$and', [{ $and: [true, 1] }, { $and: [true, 0] }, { $and: [] }], [true, false, true]],
  ['$or', [{ $or: [false, null] }, { $or: [0, 'x'] }, { $or: [] }], [false, true, false]],
  ['$not', [{ $not: [0] }, { $not: 'x' }, { $not: ['$no'] }], [true, false, true]],
  ['$cond', [{ $cond: [true, 'y', 'n'] }, { $cond: when({ if: 0 }, 'y', { else: 'n' }) }], ['y', 'n']],
  ['$cond evaluates only one branch', { $cond: [true, 1, { $divide: [1, '$zero'] }] }, 1, { zero: 0 }],
  ['$cond without else', { $cond: when({ if: 1 }, 2) }, refused(17082)],
  ['$ifNull', [{ $ifNull: ['$no', null, 3] }, { $ifNull: [1, 2] }], [3, 1]],
  [
    '$switch',
    { $switch: { branches: [when({ case: { $eq: ['$a', 1] } }, 'one')], default: 'many' } },
    'many',
    { a: 2 },
  ],
  [
    '$switch without a match',
    { $switch: { branches: [when({ case: { $eq: ['$a', 1] } }, 'one')] } },
    refused(40066),
    { a: 2 },
  ],
  ['$let', { $let: { vars: { x: { $add: ['$a', 1] } }, in: { $multiply: ['$$x', '$$x'] } } }, 9, { a: 2 }],
  ['$let with a name in upper case', { $let: { vars: { X: 1 }, in: 1 } }, refused(9)],
]

export const stringCases: ExpressionCase[] = [
  ['$concat', { $concat: ['a', '$b', 'c'] }, 'abc', { b: 'b' }],
  ['$concat null', { $concat: ['a', null] }, null],
  ['$concat a number', { $concat: ['a', 1] }, refused(16702)],
  ['$toLower and $toUpper touch ASCII alone', [{ $toLower: 'ÄBC' }, { $toUpper: 'äbc' }], ['Äbc', 'äBC'], {}],
  ['$toUpper null', { $toUpper: null }, ''],
  ['$strLenCP counts code points', { $strLenCP: 'a😀é' }, 3],
  ['$strLenCP of a number', { $strLenCP: 1 }, refused(34471)],
  ['$substrCP', { $substrCP: ['a😀bc', 1, 2] }, '😀b'],
  ['$substrCP beyond the end', { $substrCP: ['abc', 2, 9] }, 'c'],
  ['$substrCP null', { $substrCP: [null, 0, 1] }, ''],
  ['$split', { $split: ['a,b,,c', ','] }, ['a', 'b', '', 'c']],
  ['$split null', { $split: [null, ','] }, null],
  ['$split by nothing', { $split: ['a', ''] }, refused(40087)],
  ['$trim', { $trim: { input: ' \t a b \n' } }, 'a b'],
  ['$trim characters', { $trim: { input: 'xxaxbxx', chars: 'x' } }, 'axb'],
  ['$ltrim and $rtrim', [{ $ltrim: { input: ' a ' } }, { $rtrim: { input: ' a ' } }], ['a ', ' a']],
  ['$trim of a number', { $trim: { input: 1 } }, refused(50699)],
  ['$indexOfCP', [{ $indexOfCP: ['a😀ba', 'a', 1] }, { $indexOfCP: ['abc', 'x'] }], [3, -1]],
  ['$indexOfCP null', { $indexOfCP: [null, 'x'] }, null],
  [
    '$regexMatch',
    [{ $regexMatch: { input: 'Abc', regex: /^a/i } }, { $regexMatch: { input: 'abc', regex: 'B', options: 'i' } }],
    [true, true],
  ],
  ['$regexMatch null', { $regexMatch: { input: null, regex: 'a' } }, false],
  ['$regexMatch of a number', { $regexMatch: { input: 1, regex: 'a' } }, refused(51104)],
]

export const arrayCases: ExpressionCase[] = [
  ['$size', { $size: '$a' }, 2, { a: [1, 2] }],
  ['$size of no array', { $size: '$a' }, refused(17124), { a: 1 }],
  ['$in', [{ $in: [2, '$a'] }, { $in: [9, '$a'] }], [true, false], { a: [1, long(2)] }],
  ['$in no array', { $in: [1, '$a'] }, refused(40081), { a: 1 }],
  ['$arrayElemAt', [{ $arrayElemAt: ['$a', 0] }, { $arrayElemAt: ['$a', -1] }], [1, 3], { a: [1, 2, 3] }],
  ['$arrayElemAt beyond the end', { $arrayElemAt: ['$a', 9] }, undefined, { a: [1] }],
  ['$arrayElemAt of null', { $arrayElemAt: [null, 0] }, null],
  ['$arrayElemAt of no array', { $arrayElemAt: [1, 0] }, refused(28689)],
  ['$first and $last', [{ $first: '$a' }, { $last: '$a' }], [1, 3], { a: [1, 2, 3] }],
  ['$first of an empty array', { $first: '$a' }, undefined, { a: [] }],
  [
    '$slice',
    [{ $slice: ['$a', 2] }, { $slice: ['$a', -2] }, { $slice: ['$a', 1, 1] }, { $slice: ['$a', -3, 2] }],
    [[1, 2], [2, 3], [2], [1, 2]],
    { a: [1, 2, 3] },
  ],
  ['$slice with no count', { $slice: ['$a', 1, 0] }, refused(28729), { a: [1] }],
  ['$concatArrays', { $concatArrays: ['$a', [3]] }, [1, 2, 3], { a: [1, 2] }],
  ['$concatArrays null', { $concatArrays: [[1], null] }, null],
  ['$concatArrays of no array', { $concatArrays: [[1], 2] }, refused(28664)],
  ['$isArray', [{ $isArray: '$a' }, { $isArray: ['$b'] }], [true, false], { a: [], b: 1 }],
  ['$reverseArray', { $reverseArray: [[1, 2, 3]] }, [3, 2, 1]],
  ['$range', [{ $range: [0, 3] }, { $range: [5, 0, -2] }, { $range: [0, 0] }], [[0, 1, 2], [5, 3, 1], []]],
  ['$range with step 0', { $range: [0, 1, 0] }, refused(34449)],
  ['$indexOfArray', [{ $indexOfArray: ['$a', 2] }, { $indexOfArray: ['$a', 9] }], [1, -1], { a: [1, 2] }],
  ['$map', { $map: { input: '$a', as: 'x', in: { $add: ['$$x', '$b'] } } }, [11, 12], { a: [1, 2], b: 10 }],
  ['$map with $$this', { $map: { input: '$a', in: { $multiply: ['$$this', 2] } } }, [2, 4], { a: [1, 2] }],
  ['$map null', { $map: { input: null, in: 1 } }, null],
  ['$map makes null of missing', { $map: { input: '$a', in: '$$this.x' } }, [1, null], { a: [{ x: 1 }, {}] }],
  ['$map of no array', { $map: { input: 1, in: 1 } }, refused(16883)],
  ['$filter', { $filter: { input: '$a', as: 'x', cond: { $gt: ['$$x', 1] } } }, [2, 3], { a: [1, 2, 3] }],
  ['$filter with a limit', { $filter: { input: '$a', cond: { $gt: ['$$this', 1] }, limit: 1 } }, [2], { a: [1, 2, 3] }],
  ['$filter of no array', { $filter: { input: 1, cond: true } }, refused(28651)],
  [
    '$reduce',
    { $reduce: { input: '$a', initialValue: '', in: { $concat: ['$$value', '$$this'] } } },
    'abc',
    { a: ['a', 'b', 'c'] },
  ],
  ['$reduce null', { $reduce: { input: null, initialValue: 0, in: 1 } }, null],
  [
    'loops inside loops',
    {
      $map: { input: '$a', as: 'x', in: { $map: { input: '$$x', as: 'y', in: { $add: ['$$y', { $size: '$$x' }] } } } },
    },
    [[3, 4], [4]],
    { a: [[1, 2], [3]] },
  ],
  ['$sortArray by value', { $sortArray: { input: '$a', sortBy: -1 } }, ['x', 3, 1], { a: [1, 'x', 3] }],
  [
    '$sortArray by fields',
    { $sortArray: { input: '$a', sortBy: { x: 1, y: -1 } } },
    [{ x: 1, y: 2 }, { x: 1, y: 1 }, { x: 2 }],
    { a: [{ x: 2 }, { x: 1, y: 1 }, { x: 1, y: 2 }] },
  ],
  [
    '$setUnion',
    {
      $sortArray: {
        input: {
          $setUnion: [
            [3, 1],
            [1, 2],
          ],
        },
        sortBy: 1,
      },
    },
    [1, 2, 3],
  ],
  ['$setUnion null', { $setUnion: [[1], null] }, null],
  [
    '$setIntersection',
    {
      $setIntersection: [
        [1, 2, 2],
        [2, 3],
      ],
    },
    [2],
  ],
  ['$setDifference', { $setDifference: [[3, 1, 2, 3], [1]] }, [3, 2]],
  [
    '$setIsSubset',
    [
      {
        $setIsSubset: [
          [1, 1],
          [2, 1],
        ],
      },
      { $setIsSubset: [[3], [1]] },
    ],
    [true, false],
  ],
  [
    '$setEquals',
    {
      $setEquals: [
        [1, 2, 1],
        [2, long(1)],
      ],
    },
    true,
  ],
  ['$setUnion of no array', { $setUnion: [[1], 1] }, refused(17043)],
  [
    '$sum, $avg, $min, $max of an array',
    [{ $sum: '$a' }, { $avg: '$a' }, { $min: '$a' }, { $max: '$a' }],
    [6, double(2), 1, 3],
    { a: [1, 2, 3] },
  ],
  ['$sum of operands passes over what is no number', { $sum: ['$a', 2, 'x', null] }, 3, { a: 1 }],
  ['$avg of nothing', { $avg: [] }, null],
]

export const objectCases: ExpressionCase[] = [
  [
    '$objectToArray',
    { $objectToArray: '$a' },
    [
      { k: 'x', v: 1 },
      { k: 'y', v: [2] },
    ],
    { a: { x: 1, y: [2] } },
  ],
  ['$objectToArray null', { $objectToArray: null }, null],
  ['$objectToArray of no object', { $objectToArray: 1 }, refused(40390)],
  [
    '$arrayToObject',
    [{ $arrayToObject: '$a' }, { $arrayToObject: '$b' }],
    [{ x: 1 }, { y: 2 }],
    { a: [['x', 1]], b: [{ k: 'y', v: 2 }] },
  ],
  ['$arrayToObject of numbers', { $arrayToObject: '$a' }, refused(40398), { a: [1] }],
  ['$mergeObjects', { $mergeObjects: ['$a', null, { y: 2 }] }, { x: 1, y: 2 }, { a: { x: 1, y: 1 } }],
  ['$mergeObjects of a number', { $mergeObjects: [1] }, refused(40400)],
  [
    '$getField',
    [{ $getField: 'a.b' }, { $getField: { field: { $literal: '$x' }, input: '$$ROOT' } }],
    [1, 2],
    { 'a.b': 1, $x: 2 },
  ],
  ['$getField of a missing field', { $getField: 'no' }, undefined, {}],
]

export const conversionCases: ExpressionCase[] = [
  [
    '$type',
    [{ $type: 1 }, { $type: 'x' }, { $type: '$no' }, { $type: [[1]] }, { $type: null }],
    ['int', 'string', 'missing', 'array', 'null'],
  ],
  [
    '$toString',
    [{ $toString: 1 }, { $toString: long(5) }, { $toString: 2.5 }, { $toString: true }, { $toString: day }],
    ['1', '5', '2.5', 'true', '2024-02-29T13:14:15.678Z'],
  ],
  ['$toString of an object id', { $toString: new ObjectId('65a1b2c3d4e5f60718293a4b') }, '65a1b2c3d4e5f60718293a4b'],
  ['$toString null', { $toString: null }, null],
  ['$toString of an array', { $toString: [[1]] }, refused(241)],
  ['$toInt', [{ $toInt: '42' }, { $toInt: 3.9 }, { $toInt: true }, { $toInt: long(7) }], [42, 3, 1, 7]],
  ['$toInt of text that is no int', { $toInt: '4.2' }, refused(241)],
  ['$toInt beyond its range', { $toInt: 3e9 }, refused(241)],
  [
    '$toLong',
    [{ $toLong: '9007199254740993' }, { $toLong: 5 }, { $toLong: new Date(7) }],
    [long('9007199254740993'), long(5), long(7)],
  ],
  ['$toLong beyond its range', { $toLong: MAX.toString() + '0' }, refused(241)],
  ['$toDouble', [{ $toDouble: '1.5' }, { $toDouble: 2 }, { $toDouble: '-1e3' }], [1.5, double(2), double(-1000)]],
  ['$toDouble of text', { $toDouble: 'x' }, refused(241)],
  ['$toBool', [{ $toBool: 0 }, { $toBool: 'false' }, { $toBool: 0.1 }], [false, true, true]],
  [
    '$toDate',
    [{ $toDate: '2024-02-29T12:00:00Z' }, { $toDate: long(5) }, { $toDate: '2024-02-29' }],
    [new Date('2024-02-29T12:00:00Z'), new Date(5), new Date('2024-02-29T00:00:00Z')],
  ],
  ['$toDate of an object id', { $toDate: new ObjectId('65a1b2c30000000000000000') }, new Date(0x65a1b2c3 * 1000)],
  ['$toDate of text', { $toDate: 'soon' }, refused(241)],
  ['$toDate of an int', { $toDate: 5 }, refused(241)],
  ['$toObjectId', { $toObjectId: '65a1b2c3d4e5f60718293a4b' }, new ObjectId('65a1b2c3d4e5f60718293a4b')],
  ['$convert with onError', { $convert: { input: 'x', to: 'int', onError: 'no' } }, 'no'],
  ['$convert with onNull', { $convert: { input: null, to: 'int', onNull: 0 } }, 0],
]

export const dateCases: ExpressionCase[] = [
  [
    'parts of a date',
    [
      { $year: '$d' },
      { $month: '$d' },
      { $dayOfMonth: '$d' },
      { $hour: '$d' },
      { $minute: '$d' },
      { $second: '$d' },
      { $millisecond: '$d' },
    ],
    [2024, 2, 29, 13, 14, 15, 678],
    { d: day },
  ],
  [
    'days and weeks of a date',
    [{ $dayOfWeek: '$d' }, { $dayOfYear: '$d' }, { $week: '$d' }, { $isoWeek: '$d' }, { $isoDayOfWeek: '$d' }],
    [5, 60, 8, 9, 4],
    { d: day },
  ],
  ['the ISO year of a date', { $isoWeekYear: new Date('2024-12-30') }, long(2025)],
  [
    'parts in a time zone',
    [{ $hour: { date: '$d', timezone: 'America/New_York' } }, { $dayOfMonth: { date: '$d', timezone: '+11:00' } }],
    [8, 1],
    { d: day },
  ],
  ['a part of null', { $year: null }, null],
  ['a part of a string', { $year: 'x' }, refused(16006)],
  ['an unknown time zone', { $year: { date: '$d', timezone: 'Nowhere/Here' } }, refused(40485), { d: day }],
  ['$dateToString', { $dateToString: { date: '$d' } }, '2024-02-29T13:14:15.678Z', { d: day }],
  [
    '$dateToString with a format',
    { $dateToString: { date: '$d', format: '%Y-%m %d %H:%M:%S.%L %j %u %V %G %%' } },
    '2024-02 29 13:14:15.678 060 4 09 2024 %',
    { d: day },
  ],
  [
    '$dateToString in a time zone',
    { $dateToString: { date: '$d', format: '%Y-%m-%dT%H:%M%z', timezone: 'Asia/Kolkata' } },
    '2024-02-29T18:44+0530',
    { d: day },
  ],
  ['$dateToString null', { $dateToString: { date: null, onNull: 'never' } }, 'never'],
  [
    '$dateToString with an unknown specifier',
    { $dateToString: { date: '$d', format: '%Q' } },
    refused(18536),
    { d: day },
  ],
  [
    '$dateFromString',
    { $dateFromString: { dateString: '2024-02-29T12:00:00.5Z' } },
    new Date('2024-02-29T12:00:00.500Z'),
  ],
  [
    '$dateFromString in a time zone',
    { $dateFromString: { dateString: '2024-07-01T12:00:00', timezone: 'Europe/Berlin' } },
    new Date('2024-07-01T10:00:00Z'),
  ],
  [
    '$dateFromString with an offset',
    { $dateFromString: { dateString: '2024-07-01T12:00:00+02:00' } },
    new Date('2024-07-01T10:00:00Z'),
  ],
  ['$dateFromString of nonsense', { $dateFromString: { dateString: 'x' } }, refused(241)],
  ['$dateFromString with onError', { $dateFromString: { dateString: 'x', onError: 'no' } }, 'no'],
  [
    '$dateTrunc to the hour',
    { $dateTrunc: { date: '$d', unit: 'hour' } },
    new Date('2024-02-29T13:00:00Z'),
    { d: day },
  ],
  [
    '$dateTrunc to quarters of an hour',
    { $dateTrunc: { date: '$d', unit: 'minute', binSize: 15 } },
    new Date('2024-02-29T13:00:00Z'),
    { d: day },
  ],
  [
    '$dateTrunc to the day in a time zone',
    { $dateTrunc: { date: '$d', unit: 'day', timezone: 'America/New_York' } },
    new Date('2024-02-29T05:00:00Z'),
    { d: day },
    { documentdb: 'answers the day before' },
  ],
  [
    '$dateTrunc to the week',
    [{ $dateTrunc: { date: '$d', unit: 'week' } }, { $dateTrunc: { date: '$d', unit: 'week', startOfWeek: 'monday' } }],
    [new Date('2024-02-25T00:00:00Z'), new Date('2024-02-26T00:00:00Z')],
    { d: day },
  ],
  [
    '$dateTrunc to two weeks',
    { $dateTrunc: { date: '$d', unit: 'week', binSize: 2 } },
    new Date('2024-02-25T00:00:00Z'),
    { d: day },
  ],
  [
    '$dateTrunc to month, quarter, year',
    [
      { $dateTrunc: { date: '$d', unit: 'month' } },
      { $dateTrunc: { date: '$d', unit: 'quarter' } },
      { $dateTrunc: { date: '$d', unit: 'year' } },
    ],
    [new Date('2024-02-01'), new Date('2024-01-01'), new Date('2024-01-01')],
    { d: day },
  ],
  [
    '$dateAdd',
    [
      { $dateAdd: { startDate: '$d', unit: 'day', amount: 1 } },
      { $dateAdd: { startDate: '$d', unit: 'year', amount: 1 } },
    ],
    [new Date('2024-03-01T13:14:15.678Z'), new Date('2025-02-28T13:14:15.678Z')],
    { d: day },
  ],
  [
    '$dateAdd a month to its last day',
    { $dateAdd: { startDate: new Date('2024-01-31'), unit: 'month', amount: 1 } },
    new Date('2024-02-29'),
  ],
  [
    '$dateAdd a day over a change of the clock',
    { $dateAdd: { startDate: new Date('2024-03-30T12:00:00Z'), unit: 'day', amount: 1, timezone: 'Europe/Berlin' } },
    new Date('2024-03-31T11:00:00Z'),
  ],
  [
    '$dateSubtract',
    { $dateSubtract: { startDate: '$d', unit: 'hour', amount: 14 } },
    new Date('2024-02-28T23:14:15.678Z'),
    { d: day },
  ],
  ['$dateAdd an unknown unit', { $dateAdd: { startDate: '$d', unit: 'eon', amount: 1 } }, refused(9), { d: day }],
  [
    '$dateDiff counts boundaries',
    [
      { $dateDiff: { startDate: new Date('2023-12-31T23:59:00Z'), endDate: '$d', unit: 'year' } },
      { $dateDiff: { startDate: new Date('2024-01-31'), endDate: '$d', unit: 'month' } },
      { $dateDiff: { startDate: new Date('2024-02-28T23:00:00Z'), endDate: '$d', unit: 'day' } },
    ],
    [long(1), long(1), long(1)],
    { d: day },
  ],
  [
    '$dateDiff in weeks',
    [
      { $dateDiff: { startDate: new Date('2024-02-24'), endDate: new Date('2024-02-25'), unit: 'week' } },
      {
        $dateDiff: {
          startDate: new Date('2024-02-24'),
          endDate: new Date('2024-02-25'),
          unit: 'week',
          startOfWeek: 'monday',
        },
      },
    ],
    [long(1), long(0)],
  ],
  [
    '$dateDiff in hours and milliseconds',
    [
      { $dateDiff: { startDate: new Date(0), endDate: new Date(7_200_000), unit: 'hour' } },
      { $dateDiff: { startDate: new Date(5), endDate: new Date(2), unit: 'millisecond' } },
    ],
    [long(2), long(-3)],
  ],
]

/** The pipeline that shows the value of an expression; a document of fields has to be told from a nested projection. */
export function projectionOf(expression: unknown): Document[] {
  const names = typeof expression === 'object' && !Array.isArray(expression) ? Object.keys(expression ?? {}) : ['$']
  const isOperator = names[0]?.startsWith('$') === true
  return [{ $project: { _id: 0, value: isOperator ? expression : { $let: { vars: {}, in: expression } } } }]
}

/** The code that a case expects, undefined where it expects a value. */
export function refusalOf(value: unknown): number | undefined {
  const isRefusal = typeof value === 'object' && value !== null && Object.keys(value).join() === 'code'
  return isRefusal ? (value as { code: number }).code : undefined
}
