import { Double, Int32, Long } from 'bson'

/** The BSON number types that the store supports. */
export type Numeric = Int32 | Double | Long

const minInt = -(2 ** 31)
const maxInt = 2 ** 31 - 1
const minLong = -(2n ** 63n)
const maxLong = 2n ** 63n - 1n

/** True for Int32, Double and Long. */
export function isNumber(value: unknown): value is Numeric {
  return value instanceof Int32 || value instanceof Double || value instanceof Long
}

/** Compares two numbers of any types by their exact mathematical values; NaN equals NaN and sorts first. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof Long ? a.toBigInt() : a.value
  const right = b instanceof Long ? b.toBigInt() : b.value
  if (left < right) return -1
  if (left > right) return 1
  if (Number.isNaN(left)) return Number.isNaN(right) ? 0 : -1
  return Number.isNaN(right) ? 1 : 0
}

/** The nearest double, for use where MongoDB itself converts to double. */
export function toDouble(value: Numeric): number {
  return value instanceof Long ? value.toNumber() : value.value
}

/** The value truncated towards zero; undefined for NaN and infinities. */
export function toInteger(value: Numeric): bigint | undefined {
  if (value instanceof Long) return value.toBigInt()
  return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : undefined
}

/** The value as a 64-bit integer if it is an exact integer (2, 2.0, NumberLong(2)), otherwise undefined. */
export function toExactInteger(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined
  const whole = toInteger(value)
  if (whole === undefined || whole < minLong || whole > maxLong) return undefined
  return compareNumbers(Long.fromBigInt(whole), value) === 0 ? whole : undefined
}

/** The smallest integer type that holds the value; undefined if it exceeds a long. */
export function integer(value: bigint, atLeast: 'int' | 'long'): Int32 | Long | undefined {
  if (atLeast === 'int' && value >= BigInt(minInt) && value <= BigInt(maxInt)) return new Int32(Number(value))
  return value >= minLong && value <= maxLong ? Long.fromBigInt(value) : undefined
}

/** An int, or a long if the number exceeds the int range; exact up to 2^53. */
export function wholeNumber(value: number): Int32 | Long {
  return value >= minInt && value <= maxInt ? new Int32(value) : Long.fromNumber(value)
}

/** The sum in the operands' common type (an int widens to a long); undefined if it overflows a long. */
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) + toDouble(b))
  if (a instanceof Int32 && b instanceof Int32) return wholeNumber(a.value + b.value)
  return integer((toInteger(a) ?? 0n) + (toInteger(b) ?? 0n), 'long')
}

/** The difference in the operands' common type (an int widens to a long); undefined if it overflows a long. */
export function subtract(a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) - toDouble(b))
  if (a instanceof Int32 && b instanceof Int32) return wholeNumber(a.value - b.value)
  return integer((toInteger(a) ?? 0n) - (toInteger(b) ?? 0n), 'long')
}
