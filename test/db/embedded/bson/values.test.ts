import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, serialize } from 'bson'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asBuffer, checkDocument } from '../../../../src/db/embedded/bson/bytes.ts'
import { compareValues, equalValues } from '../../../../src/db/embedded/bson/compare.ts'
import { hashKey } from '../../../../src/db/embedded/bson/hash.ts'
import { identicalValues } from '../../../../src/db/embedded/bson/identity.ts'
import { add, subtract } from '../../../../src/db/embedded/bson/numbers.ts'
import { getPath } from '../../../../src/db/embedded/bson/path.ts'
import { typeOf } from '../../../../src/db/embedded/bson/values.ts'
import type { Value } from '../../../../src/db/embedded/bson/values.ts'
import { outcome, show, typed } from '../typed.ts'

const long = (text: string) => Long.fromString(text)
const double = (value: number) => new Double(value)

/** Each value is less than the next, in the order of MongoDB's manual, "Comparison/Sort Order". */
const ascending: [string, Value][] = [
  ['missing', undefined],
  ['null', null],
  ['NaN', double(NaN)],
  ['-Infinity', double(-Infinity)],
  ['the least long', Long.MIN_VALUE],
  ['-1', new Int32(-1)],
  ['-5E-324', double(-5e-324)],
  ['0', double(-0)],
  ['0.1', double(0.1)],
  ['1', new Int32(1)],
  ['2^53', double(2 ** 53)],
  ['2^53 + 1', long('9007199254740993')],
  ['2^63 - 1', Long.MAX_VALUE],
  ['2^63', double(2 ** 63)],
  ['Infinity', double(Infinity)],
  ['the empty string', ''],
  ['Z', 'Z'],
  ['a', 'a'],
  ['a longer string with the same beginning', 'a\0'],
  ['é', 'é'],
  ['U+FFFF', '\uffff'],
  ['U+10000', '\u{10000}'],
  ['the empty document', {}],
  ['a document with a number', { b: new Int32(1) }],
  ['a later name', { c: new Int32(0) }],
  ['one more field', { c: new Int32(0), a: new Int32(0) }],
  ['a string is a later type than a number, whatever the name', { a: 'x' }],
  ['the empty array', []],
  ['an array', [new Int32(1)]],
  ['a longer array', [new Int32(1), null]],
  ['a greater element', [new Int32(2)]],
  ['short binary data', new Binary(Buffer.from([9]))],
  ['the same with a later subtype', new Binary(Buffer.from([0]), 5)],
  ['longer binary data', new Binary(Buffer.from([0, 0]))],
  ['an object id', new ObjectId('000000000000000000000001')],
  ['a later object id', new ObjectId('ff0000000000000000000000')],
  ['false', false],
  ['true', true],
  ['a date before 1970', new Date(-1)],
  ['a date', new Date(0)],
  ['a regular expression', new BSONRegExp('a')],
  ['with options', new BSONRegExp('a', 'i')],
]

describe('the order of all values', () => {
  test.for(ascending.map(([name, value], i) => [name, value, i] as const))('%s', ([, value, i]) => {
    const signs = ascending.map(([, other]) => Math.sign(compareValues(value, other)))
    expect(signs).toEqual(ascending.map((_, j) => Math.sign(i - j)))
  })

  test.for([
    ['1 of all types', [new Int32(1), double(1), long('1')]],
    ['0 of all types', [new Int32(0), double(0), double(-0), long('0')]],
    ['NaN', [double(NaN), double(-NaN)]],
    ['a large power of two', [double(-(2 ** 63)), Long.MIN_VALUE]],
    ['documents with equal numbers', [{ a: new Int32(1) }, { a: double(1) }]],
  ] as const)('equal: %s', ([, values]) => {
    for (const a of values) {
      for (const b of values) {
        expect(compareValues(a as Value, b as Value)).toBe(0)
        expect(hashKey(a as Value)).toBe(hashKey(b as Value))
      }
    }
  })
})

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((n) => new Int32(n)),
  fc.double().map((n) => new Double(n)),
  fc.constantFrom(0, -0, 0.5, 1, 2 ** 53, 2 ** 63, NaN, Infinity).map((n) => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
)
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '\ud7ff', '\u{10000}', '\u{1f600}', '\0') })
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    text,
    fc.constantFrom<Value>(null, undefined, true, false, new BSONRegExp('a', 'i')),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => new Binary(bytes)),
    fc.constantFrom('00', 'ff').map((byte) => new ObjectId(byte.repeat(12))),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Value>,
  ),
}))

/** Array.prototype.sort always moves undefined to the end, so the values are sorted inside objects. */
function ordered(values: Value[]): Value[] {
  const boxes = values.map((value) => ({ value }))
  return boxes.sort((a, b) => compareValues(a.value, b.value)).map(({ value }) => value)
}

describe('the order is total', () => {
  test('antisymmetric, and reflexive', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a))).toBe(0)
        expect(compareValues(a, a)).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  test('transitive', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (...three) => {
        const [a, b, c] = ordered(three)
        expect(compareValues(a, b)).toBeLessThanOrEqual(0)
        expect(compareValues(b, c)).toBeLessThanOrEqual(0)
        expect(compareValues(a, c)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 2000 },
    )
  })

  test('numbers alone: transitive and exact against each other', () => {
    fc.assert(
      fc.property(number, number, number, (...three) => {
        const [a, b, c] = ordered(three)
        expect(compareValues(a, c)).toBeLessThanOrEqual(0)
        if (compareValues(a, b) === 0 && compareValues(b, c) === 0) expect(compareValues(a, c)).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  test('equal exactly when the hash keys are', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(hashKey(a) === hashKey(b)).toBe(equalValues(a, b))
      }),
      { numRuns: 2000 },
    )
  })

  test('strings are ordered as their UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareValues(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })

  test('identical values are equal, and identical means the same bytes', () => {
    const stored = anyValue.filter((value) => value !== undefined)
    fc.assert(
      fc.property(stored, stored, (a, b) => {
        const [left, right] = [typed({ v: a })['v'], typed({ v: b })['v']]
        expect(identicalValues(left, right)).toBe(show({ v: left }) === show({ v: right }))
        if (identicalValues(left, right)) expect(equalValues(left, right)).toBe(true)
        expect(identicalValues(left, typed({ v: a })['v'])).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the values that a path reaches', () => {
  test.for([
    ['a field', { a: 1 }, 'a', [1]],
    ['a missing field', {}, 'a', [undefined]],
    ['an array is not expanded', { a: [1, 2] }, 'a', [[1, 2]]],
    ['an embedded field', { a: { b: 1 } }, 'a.b', [1]],
    ['through a scalar', { a: 1 }, 'a.b', [undefined]],
    ['through an array', { a: [{ b: 1 }, 5, {}, { b: [2] }] }, 'a.b', [1, undefined, [2]]],
    ['into an array without documents', { a: [1, 2] }, 'a.b', []],
    ['an index', { a: [1, 2] }, 'a.1', [2]],
    ['an index, or a field of that name', { a: [{ 1: 'x' }, 'y'] }, 'a.1', ['x', 'y']],
    ['an index has no leading zeros', { a: [1, 2] }, 'a.01', []],
  ] as const)('%s', ([, doc, path, values]) => {
    const found = getPath(typed(doc), path)
    expect(found.map((value) => value === undefined)).toEqual(values.map((value) => value === undefined))
    expect(show(found.filter((value) => value !== undefined))).toBe(
      show(typed({ v: values.filter((value) => value !== undefined) })['v']),
    )
  })

  test('never inherited properties', () => {
    expect(getPath({}, 'constructor')).toEqual([undefined])
    expect(getPath({}, '__proto__')).toEqual([undefined])
    expect(getPath({}, 'toString.name')).toEqual([undefined])
  })
})

describe('arithmetic in the common type', () => {
  test.for([
    [add, new Int32(2 ** 31 - 1), new Int32(1), long('2147483648')],
    [add, long('1'), new Int32(1), long('2')],
    [add, Long.MAX_VALUE, new Int32(1), undefined],
    [add, double(0.1), double(0.2), double(0.1 + 0.2)],
    [add, new Int32(1), double(1), double(2)],
    [subtract, new Int32(-(2 ** 31)), new Int32(1), long('-2147483649')],
    [subtract, Long.MIN_VALUE, new Int32(1), undefined],
    [subtract, double(0.3), new Int32(1), double(0.3 - 1)],
  ] as const)('%o of %s and %s', ([operation, a, b, result]) => {
    const found = operation(a, b)
    expect(found === undefined ? found : show(found)).toBe(result === undefined ? result : show(result))
  })
})

describe('a document is validated before it is accepted', () => {
  const check = (bytes: Uint8Array) => outcome(() => checkDocument(asBuffer(bytes)))
  test.for([
    ['Decimal128', serialize({ a: Decimal128.fromString('1') }), 115],
    ['Decimal128 in an array in a document', serialize({ a: [{ b: Decimal128.fromString('1') }] }), 115],
    [
      'a date that JavaScript cannot hold',
      Buffer.from('100000000961000000000000000080 00'.replaceAll(' ', ''), 'hex'),
      2,
    ],
    ['a length beyond the bytes', Buffer.from('ff00000000', 'hex'), 22],
  ] as const)('%s is refused', ([, bytes, code]) => {
    expect(check(bytes)).toBe(code)
  })

  test('every supported type is accepted', () => {
    const bytes = serialize({ a: [1, 1.5, Long.MAX_VALUE, 'x', null, true, new Date(8.64e15), new ObjectId(), /a/] })
    expect(check(bytes)).toBe(bytes.length)
  })
})

test('a value that is not typed BSON is a defect', () => {
  expect(() => typeOf(5 as never)).toThrow(TypeError)
  expect(() => compareValues(5 as never, 6 as never)).toThrow(TypeError)
})
