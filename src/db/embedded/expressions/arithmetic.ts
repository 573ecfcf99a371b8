import { Decimal128, Double, Int32, Long } from 'bson'
import { between, fixed, isNullish, nullable } from './frame.ts'
import type { Expression, Operators } from './frame.ts'
import { sum } from './sums.ts'
import type { CodeName } from '../errors/command-error.ts'
import { CommandError } from '../errors/command-error.ts'
import { decimalOf, decimalOfDouble, divideDecimals, roundDecimal } from '../bson/decimal.ts'
import {
  arithmetic as calculate,
  integer,
  isNumber,
  MIN_LONG,
  toDecimal,
  toDouble,
  toExactInteger,
  toInteger,
  widest,
} from '../bson/numbers.ts'
import type { Numeric } from '../bson/numbers.ts'
import { compareValues, typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** Arithmetic on numbers and dates, with MongoDB's result types. */
export const arithmetic: Operators = {
  $add: (argument, compiler) => {
    const terms = (Array.isArray(argument) ? argument : [argument]).map((term) => compiler.compile(term))
    return added(terms)
  },
  $subtract: fixed(
    2,
    nullable(([a, b]) => subtract(a, b)),
  ),
  $multiply: (argument, compiler) => {
    const factors = (Array.isArray(argument) ? argument : [argument]).map((factor) => compiler.compile(factor))
    return multiplied(factors)
  },
  $divide: fixed(
    2,
    nullable(([a, b]) => divide(a, b)),
  ),
  $mod: fixed(
    2,
    nullable(([a, b]) => remainder(a, b)),
  ),
  $abs: fixed(
    1,
    nullable(([value], name) => absolute(numberFor(name, value))),
  ),
  $ceil: fixed(
    1,
    nullable(([value], name) => rounding(numberFor(name, value), { place: 0, mode: 'up' })),
  ),
  $floor: fixed(
    1,
    nullable(([value], name) => rounding(numberFor(name, value), { place: 0, mode: 'down' })),
  ),
  $round: between([1, 2], (values, name) => placed(values, name, 'half-even')),
  $trunc: between([1, 2], (values, name) => placed(values, name, 'towards-zero')),
}

function added(terms: Expression[]): Expression {
  return (frame) => {
    const values = terms.map((term) => term(frame))
    if (values.some(isNullish)) return null
    const dates = values.filter((value) => value instanceof Date)
    const numbers = values.filter(isNumber)
    const other = values.find((value) => !isNumber(value) && !(value instanceof Date))
    if (other !== undefined) {
      throw new CommandError('TypeMismatch', `$add only supports numeric or date types, not ${typeOf(other)}`)
    }
    if (dates.length > 1) throw new CommandError('Location16612', 'only one date allowed in an $add expression')
    const total = sum(numbers)
    const [date] = dates
    return date ? shifted(date, total) : total
  }
}

function shifted(date: Date, by: Numeric): Date {
  return new Date(date.getTime() + Math.round(toDouble(by)))
}

function subtract(a: Value, b: Value): Value {
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime())
  if (a instanceof Date && isNumber(b)) return shifted(a, new Double(-toDouble(b)))
  if (!isNumber(a) || !isNumber(b)) {
    throw new CommandError('TypeMismatch', `can't $subtract ${typeOf(b)} from ${typeOf(a)}`)
  }
  return sumOrDouble('add', a, negated(b, a))
}

/** The negated number; in the wider type where the least integer of its own has no negative. */
function negated(value: Numeric, other: Numeric): Numeric {
  if (value instanceof Double) return new Double(-value.value)
  if (value instanceof Decimal128) return calculate('multiply', value, new Int32(-1)) ?? value
  const whole = toInteger(value) ?? 0n
  return integer(-whole, widest(value, other) === 'long' ? 'long' : 'int') ?? new Double(-toDouble(value))
}

function sumOrDouble(operation: 'add' | 'multiply', a: Numeric, b: Numeric): Numeric {
  const result = calculate(operation, a, b)
  if (result) return result
  return new Double(operation === 'add' ? toDouble(a) + toDouble(b) : toDouble(a) * toDouble(b))
}

function multiplied(factors: Expression[]): Expression {
  return (frame) => {
    let product: Numeric = new Int32(1)
    let nullFound = false
    for (const factor of factors) {
      const value = factor(frame)
      if (isNullish(value)) nullFound = true
      else product = sumOrDouble('multiply', product, numberFor('$multiply', value, 'TypeMismatch'))
    }
    return nullFound ? null : product
  }
}

function divide(a: Value, b: Value): Numeric {
  if (!isNumber(a) || !isNumber(b)) {
    throw new CommandError('TypeMismatch', `$divide only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`)
  }
  if (toDouble(b) === 0) throw new CommandError('BadValue', "can't $divide by zero")
  if (widest(a, b) === 'decimal') return divideDecimals(toDecimal(a), toDecimal(b))
  return new Double(toDouble(a) / toDouble(b))
}

function remainder(a: Value, b: Value): Numeric {
  if (!isNumber(a) || !isNumber(b)) {
    throw new CommandError('Location16611', `$mod only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`)
  }
  if (toDouble(b) === 0) throw new CommandError('Location16610', "can't $mod by zero")
  const type = widest(a, b)
  if (type === 'decimal') {
    const quotient = rounding(divideDecimals(toDecimal(a), toDecimal(b)), { place: 0, mode: 'towards-zero' })
    return sumOrDouble('add', a, negated(sumOrDouble('multiply', quotient, b), a))
  }
  if (type === 'double') return new Double(toDouble(a) % toDouble(b))
  return integer((toInteger(a) ?? 0n) % (toInteger(b) ?? 1n), type) ?? new Double(0)
}

function absolute(value: Numeric): Numeric {
  if (compareValues(value, new Int32(0)) >= 0) return value
  if (value instanceof Long && value.toBigInt() === MIN_LONG) {
    throw new CommandError('Location28680', "can't take $abs of long long min")
  }
  return Number.isNaN(toDouble(value)) ? value : negated(value, value)
}

type Rounding = { place: number; mode: 'up' | 'down' | 'half-even' | 'towards-zero' }

function rounding(value: Numeric, { place, mode }: Rounding): Numeric {
  if (value instanceof Int32 || value instanceof Long) {
    if (place >= 0) return value
    const whole = roundDecimal({ kind: 'finite', coefficient: toInteger(value) ?? 0n, exponent: 0 }, { place, mode })
    const result = integer(toInteger(Decimal128.fromString(whole)) ?? 0n, value instanceof Long ? 'long' : 'int')
    if (result) return result
    throw new CommandError(
      'Location51080',
      `invalid conversion from Decimal128 result in $round resulting from arguments: [${value.toString()}, ${place}]`,
    )
  }
  const exact = value instanceof Decimal128 ? decimalOf(value) : decimalOfDouble(value.value)
  if (exact.kind !== 'finite') return value
  const text = roundDecimal(exact, { place, mode })
  return value instanceof Decimal128 ? Decimal128.fromString(text) : new Double(keepingSign(Number(text), value.value))
}

function keepingSign(rounded: number, original: number): number {
  return rounded === 0 && (original < 0 || Object.is(original, -0)) ? -0 : rounded
}

function placed(values: Value[], name: string, mode: Rounding['mode']): Value {
  const [value, place = new Int32(0)] = values
  if (isNullish(value) || (values.length > 1 && isNullish(values[1]))) return null
  const number = numberFor(name, value, 'Location51081')
  const digits = toExactInteger(place)
  if (digits === undefined)
    throw new CommandError('Location51082', `precision argument to ${name} must be a integral value`)
  if (digits < -20n || digits > 100n) {
    throw new CommandError(
      'Location51083',
      `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`,
    )
  }
  return rounding(number, { place: Number(digits), mode })
}

function numberFor(name: string, value: Value, code: CodeName = 'Location28765'): Numeric {
  if (isNumber(value)) return value
  throw new CommandError(code, `${name} only supports numeric types, not ${typeOf(value)}`)
}
