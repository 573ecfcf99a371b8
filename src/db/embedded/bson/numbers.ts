import { Decimal128, Double, Int32, Long } from 'bson'
import {
  addDecimals,
  compareDecimals,
  decimalOf,
  decimalOfDouble,
  decimalOfInteger,
  multiplyDecimals,
} from './decimal.ts'

/** The four BSON number types. */
export type Numeric = Int32 | Double | Long | Decimal128

export const MIN_INT = -(2 ** 31)
export const MAX_INT = 2 ** 31 - 1
export const MIN_LONG = -(2n ** 63n)
export const MAX_LONG = 2n ** 63n - 1n

/** True for Int32, Double, Long and Decimal128. */
export function isNumber(value: unknown): value is Numeric {
  return value instanceof Int32 || value instanceof Double || value instanceof Long || value instanceof Decimal128
}

/** Orders two numbers of any types by their exact mathematical values; NaN equals NaN and comes first. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof Decimal128 || b instanceof Decimal128) return compareDecimals(exactly(a), exactly(b))
  const left = a instanceof Long ? a.toBigInt() : a.value
  const right = b instanceof Long ? b.toBigInt() : b.value
  if (left < right) return -1
  if (left > right) return 1
  if (Number.isNaN(left)) return Number.isNaN(right) ? 0 : -1
  return Number.isNaN(right) ? 1 : 0
}

function exactly(value: Numeric) {
  if (value instanceof Decimal128) return decimalOf(value)
  return value instanceof Double ? decimalOfDouble(value.value) : decimalOfInteger(bigintOf(value))
}

function bigintOf(value: Int32 | Long): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(value.value)
}

/** The nearest double, for use where MongoDB itself converts to double. */
export function toDouble(value: Numeric): number {
  if (value instanceof Long) return value.toNumber()
  return value instanceof Decimal128 ? Number(value.toString()) : value.value
}

/** The value cut off towards zero, or undefined for NaN and the infinities. */
export function toInteger(value: Numeric): bigint | undefined {
  if (value instanceof Long) return value.toBigInt()
  if (value instanceof Decimal128) {
    const decimal = decimalOf(value)
    if (decimal.kind !== 'finite') return undefined
    const { coefficient, exponent } = decimal
    return exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent)
  }
  return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : undefined
}

/** The value as a 64-bit integer when it is one exactly (2, 2.0, NumberLong(2)), else undefined. */
export function toExactInteger(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined
  const whole = toInteger(value)
  if (whole === undefined || whole < MIN_LONG || whole > MAX_LONG) return undefined
  return compareNumbers(Long.fromBigInt(whole), value) === 0 ? whole : undefined
}

/** The smallest integer type that holds the value; undefined when even a long cannot. */
export function integer(value: bigint, atLeast: 'int' | 'long'): Int32 | Long | undefined {
  if (atLeast === 'int' && value >= BigInt(MIN_INT) && value <= BigInt(MAX_INT)) return new Int32(Number(value))
  return value >= MIN_LONG && value <= MAX_LONG ? Long.fromBigInt(value) : undefined
}

/** The common type of two numbers in arithmetic: decimal over double over long over int. */
export function widest(a: Numeric, b: Numeric): 'int' | 'long' | 'double' | 'decimal' {
  if (a instanceof Decimal128 || b instanceof Decimal128) return 'decimal'
  if (a instanceof Double || b instanceof Double) return 'double'
  return a instanceof Long || b instanceof Long ? 'long' : 'int'
}

/** The exact decimal value, as MongoDB converts the operand of a decimal operation. */
export function toDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value
  if (!(value instanceof Double)) return Decimal128.fromString(bigintOf(value).toString())
  return Decimal128.fromString(Number.isFinite(value.value) ? value.value.toPrecision(15) : String(value.value))
}

/** An int, or a long where the number is beyond the range of an int; exact up to 2^53. */
export function wholeNumber(value: number): Int32 | Long {
  return value >= MIN_INT && value <= MAX_INT ? new Int32(value) : Long.fromNumber(value)
}

/** The sum or product in the operands' common type (an int grows to a long); undefined when it overflows a long. */
export function arithmetic(operation: 'add' | 'multiply', a: Numeric, b: Numeric): Numeric | undefined {
  if (operation === 'add' && a instanceof Int32 && b instanceof Int32) return wholeNumber(a.value + b.value)
  const type = widest(a, b)
  const adding = operation === 'add'
  if (type === 'decimal') return (adding ? addDecimals : multiplyDecimals)(toDecimal(a), toDecimal(b))
  if (type === 'double') return new Double(adding ? toDouble(a) + toDouble(b) : toDouble(a) * toDouble(b))
  const [left, right] = [toInteger(a) ?? 0n, toInteger(b) ?? 0n]
  return integer(adding ? left + right : left * right, type)
}
