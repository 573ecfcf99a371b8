import { Decimal128 } from 'bson'

/** A Decimal128 or double taken apart: `coefficient * 10^exponent`, exactly. */
export type Decimal =
  | { kind: 'finite'; coefficient: bigint; exponent: number }
  | { kind: 'nan' }
  | { kind: 'infinite'; sign: 1 | -1 }

const MAX_DIGITS = 34
const CARRIED = 10n ** 34n
const MIN_EXPONENT = -6176
const MAX_EXPONENT = 6111

/** The exact parts of an integer. */
export function decimalOfInteger(value: bigint): Decimal {
  return { kind: 'finite', coefficient: value, exponent: 0 }
}

/** The exact parts of a Decimal128. */
export function decimalOf(value: Decimal128): Decimal {
  const text = value.toString()
  if (text === 'NaN') return { kind: 'nan' }
  if (text.endsWith('Infinity')) return { kind: 'infinite', sign: text.startsWith('-') ? -1 : 1 }
  const [mantissa = '', power = '0'] = text.split('E')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { kind: 'finite', coefficient: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

/** The exact parts of a double: every finite double is a whole number times a power of two, hence a finite decimal. */
export function decimalOfDouble(value: number): Decimal {
  if (Number.isNaN(value)) return { kind: 'nan' }
  if (!Number.isFinite(value)) return { kind: 'infinite', sign: value > 0 ? 1 : -1 }
  let exponent = 0
  let mantissa = value
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    exponent -= 1
  }
  return { kind: 'finite', coefficient: BigInt(mantissa) * 5n ** BigInt(-exponent), exponent }
}

/** Orders two decimals by value; NaN equals NaN and comes first. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.kind === 'nan' || b.kind === 'nan') return Number(b.kind === 'nan') - Number(a.kind === 'nan')
  const [left, right] = [reach(a), reach(b)]
  if (left !== right) return left < right ? -1 : 1
  return a.kind === 'finite' && b.kind === 'finite' ? compareFinite(a, b) : 0
}

export type Finite = Extract<Decimal, { kind: 'finite' }>

function compareFinite(a: Finite, b: Finite): number {
  const lowest = Math.min(a.exponent, b.exponent)
  const left = a.coefficient * 10n ** BigInt(a.exponent - lowest)
  const right = b.coefficient * 10n ** BigInt(b.exponent - lowest)
  return left < right ? -1 : left > right ? 1 : 0
}

/** Sign and decimal magnitude in one number, so that values of different sizes need no common exponent. */
function reach(value: Exclude<Decimal, { kind: 'nan' }>): number {
  if (value.kind === 'infinite') return value.sign * Infinity
  if (value.coefficient === 0n) return 0
  const negative = value.coefficient < 0n
  const digits = absolute(value.coefficient).toString().length
  const magnitude = digits + value.exponent + 20_000
  return negative ? -magnitude : magnitude
}

/** The sum, rounded half to even at 34 digits. */
export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  if (x.kind === 'nan' || y.kind === 'nan') return special('NaN')
  if (x.kind === 'infinite') return y.kind === 'infinite' && y.sign !== x.sign ? special('NaN') : a
  if (y.kind === 'infinite') return b
  const exponent = Math.min(x.exponent, y.exponent)
  const left = x.coefficient * 10n ** BigInt(x.exponent - exponent)
  const right = y.coefficient * 10n ** BigInt(y.exponent - exponent)
  return rounded(left + right, exponent)
}

/** The product, rounded half to even at 34 digits. */
export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  if (x.kind === 'nan' || y.kind === 'nan') return special('NaN')
  if (x.kind === 'finite' && y.kind === 'finite') {
    return rounded(x.coefficient * y.coefficient, x.exponent + y.exponent)
  }
  const sign = signOf(x) * signOf(y)
  return sign === 0 ? special('NaN') : special(sign > 0 ? 'Infinity' : '-Infinity')
}

/** The quotient, rounded half to even at 34 digits; the divisor is not zero. */
export function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  if (x.kind === 'nan' || y.kind === 'nan') return special('NaN')
  if (x.kind === 'infinite') {
    return y.kind === 'infinite'
      ? special('NaN')
      : special(x.sign * (y.coefficient < 0n ? -1 : 1) > 0 ? 'Infinity' : '-Infinity')
  }
  if (y.kind === 'infinite') return Decimal128.fromString('0')
  const shift = MAX_DIGITS + y.coefficient.toString().length
  const sign = signOf(x) * signOf(y)
  const dividend = absolute(x.coefficient) * 10n ** BigInt(shift)
  const divisor = absolute(y.coefficient)
  // One more digit keeps a remainder visible to the rounding.
  const quotient = (dividend / divisor) * 10n + (dividend % divisor === 0n ? 0n : 1n)
  const ideal = x.exponent - y.exponent
  return trimmed(rounded(BigInt(sign) * quotient, ideal - shift - 1), ideal)
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** Drops the trailing zeros of an exact quotient, down to the exponent that the operands suggest. */
function trimmed(value: Decimal128, ideal: number): Decimal128 {
  const parts = decimalOf(value)
  if (parts.kind !== 'finite') return value
  let { coefficient, exponent } = parts
  while (exponent < ideal && coefficient % 10n === 0n && coefficient !== 0n) {
    coefficient /= 10n
    exponent += 1
  }
  return rounded(coefficient, coefficient === 0n ? ideal : exponent)
}

function signOf(value: Exclude<Decimal, { kind: 'nan' }>): number {
  if (value.kind === 'infinite') return value.sign
  return value.coefficient === 0n ? 0 : value.coefficient < 0n ? -1 : 1
}

/** `coefficient * 10^exponent` as a Decimal128, rounded half to even at 34 digits. */
export function rounded(coefficient: bigint, exponent: number): Decimal128 {
  const negative = coefficient < 0n
  let digits = absolute(coefficient)
  let power = exponent
  const excess = Math.max(digits.toString().length - MAX_DIGITS, MIN_EXPONENT - power)
  if (excess > 0) {
    digits = halfEven(digits, excess)
    power += excess
  }
  if (digits === CARRIED) {
    digits /= 10n
    power += 1
  }
  while (power > MAX_EXPONENT && digits !== 0n && digits.toString().length < MAX_DIGITS) {
    digits *= 10n
    power -= 1
  }
  if (power > MAX_EXPONENT && digits !== 0n) return special(negative ? '-Infinity' : 'Infinity')
  return Decimal128.fromString(`${negative ? '-' : ''}${digits}E${Math.min(power, MAX_EXPONENT)}`)
}

function halfEven(digits: bigint, drop: number): bigint {
  const unit = 10n ** BigInt(drop)
  const quotient = digits / unit
  const twice = (digits % unit) * 2n
  return twice > unit || (twice === unit && quotient % 2n === 1n) ? quotient + 1n : quotient
}

function special(text: 'NaN' | 'Infinity' | '-Infinity'): Decimal128 {
  return Decimal128.fromString(text)
}

/** The decimal text of a value rounded at so many places after the point (before it, if negative). */
export function roundDecimal(value: Finite, { place, mode }: { place: number; mode: string }): string {
  const drop = -place - value.exponent
  if (drop <= 0) return `${value.coefficient}E${value.exponent}`
  const unit = 10n ** BigInt(drop)
  const magnitude = absolute(value.coefficient)
  const negative = value.coefficient < 0n
  const away = (mode === 'up' && !negative) || (mode === 'down' && negative)
  const cut = magnitude / unit
  const digits = mode === 'half-even' ? halfEven(magnitude, drop) : away && magnitude % unit !== 0n ? cut + 1n : cut
  return `${negative ? '-' : ''}${digits}E${-place}`
}
