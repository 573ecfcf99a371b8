import { Binary, BSONRegExp, Double, Int32, Long, ObjectId } from 'bson'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareValues } from '../../../../src/db/embedded/bson/compare.ts'
import type { Value } from '../../../../src/db/embedded/bson/values.ts'
import { inverted, partEnd, successor } from '../../../../src/db/embedded/storage/key-parts.ts'
import { encodeKey } from '../../../../src/db/embedded/storage/keys.ts'
import { anyText } from '../../../support/any-text.ts'

const near = fc.constantFrom(0, 1, 2 ** 31, 2 ** 53, 2 ** 63, 1e15, 0.1, 1.5, Number.MIN_VALUE, Number.MAX_VALUE)
const doubles = fc.oneof(
  fc.double(),
  near,
  near.map((n) => -n),
  fc.integer({ min: -20, max: 20 }),
)
const longs = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -2000, max: 2000 }).map((n) => 2n ** 53n + BigInt(n)),
  fc.integer({ min: 0, max: 2000 }).map((n) => 2n ** 63n - 1n - BigInt(n)),
)
const numbers = fc.oneof(
  fc.integer().map((n) => new Int32(n)),
  doubles.map((n) => new Double(n)),
  longs.map((n) => Long.fromBigInt(n)),
)
const texts = fc.oneof(
  anyText(),
  fc.array(fc.constantFrom('\0', 'a', '\u{1f600}', '\uffff', 'é')).map((parts) => parts.join('')),
)
const scalars: fc.Arbitrary<Value> = fc.oneof(
  numbers,
  texts,
  fc.constantFrom(null, undefined, true, false),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.tuple(fc.uint8Array({ maxLength: 4 }), fc.constantFrom(0, 5, 128)).map(([bytes, type]) => new Binary(bytes, type)),
  fc.date({ noInvalidDate: true }),
  fc.tuple(fc.constantFrom('', 'a', 'b'), fc.constantFrom('', 'i')).map(([p, o]) => new BSONRegExp(p, o)),
)
const { value: values } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'A', ''), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

describe('index keys', () => {
  test('order the bytes exactly as compareValues orders the values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(Math.sign(compareValues(a, b)))
      }),
      { numRuns: 3000 },
    )
  })

  test('order numbers of all types by their exact values', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(Math.sign(compareValues(a, b)))
      }),
      { numRuns: 3000 },
    )
  })

  test('of descending fields are in reverse order', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const order = Buffer.compare(inverted(encodeKey(a)), inverted(encodeKey(b)))
        expect(Math.sign(order)).toBe(-Math.sign(compareValues(a, b)) + 0)
      }),
      { numRuns: 1000 },
    )
  })

  test('can be joined and split again', () => {
    fc.assert(
      fc.property(values, values, fc.boolean(), (a, b, descending) => {
        const turn = (key: Buffer) => (descending ? inverted(key) : key)
        const first = turn(encodeKey(a))
        const joined = Buffer.concat([first, turn(encodeKey(b))])
        expect(partEnd(joined, 0, descending)).toBe(first.length)
        expect(partEnd(joined, first.length, descending)).toBe(joined.length)
      }),
      { numRuns: 2000 },
    )
  })

  // Files contain these keys: another encoding of the same values needs another format number.
  test.for([
    [null, '06'],
    [new Int32(1), '10bff000000000000000'],
    [new Double(-1.5), '104007ffffffffffffff'],
    [Long.fromString('9007199254740993'), '10c3400000000000000180100a010108020a0a0306050805010a0a0400'],
    [Long.fromString('-9007199254740993'), '103cbffffffffffffffe7feff5fefef7fdf5f5fcf9faf7fafef5f5fbff'],
    [Long.MAX_VALUE, '10c3dfffffffffffff0180130a03030404080301040709060508080609010800'],
    [new Binary(Buffer.from([7]), 4), '30000000010407'],
    ['a\0', '186100ff0000'],
    [true, '4001'],
    [new Date(0), '488000000000000000'],
    [new ObjectId('0102030405060708090a0b0c'), '380102030405060708090a0b0c'],
    [[], '2800'],
    [{}, '2000'],
  ] as const)('have the bytes of format 1: %s', ([value, bytes]) => {
    expect(encodeKey(value as Value).toString('hex')).toBe(bytes)
  })

  test.for([
    ['[1, 2]', [1, 2], [1, 3]],
    ['ff at the end', [1, 255], [2]],
  ] as const)('the successor of %s is greater than every key that begins with it', ([, prefix, next]) => {
    expect([...successor(Uint8Array.from(prefix))]).toEqual([...next])
  })
})
