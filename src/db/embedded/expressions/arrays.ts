import { Int32 } from 'bson'
import { between, fixed, isNullish, nullable, operands } from './frame.ts'
import type { Operators } from './frame.ts'
import type { CodeName } from '../errors/command-error.ts'
import { CommandError } from '../errors/command-error.ts'
import { isNumber, MAX_INT, MIN_INT, toExactInteger } from '../bson/numbers.ts'
import { equalValues, typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** Operators on whole arrays. */
export const arrays: Operators = {
  $size: fixed(
    1,
    ([value]) =>
      new Int32(arrayFor(value, 'Location17124', 'The argument to $size must be an array, but was of type:').length),
  ),
  $isArray: fixed(1, ([value]) => Array.isArray(value)),
  $in: fixed(2, ([wanted, array]) =>
    arrayFor(array, 'Location40081', '$in requires an array as a second argument, found:').some((element) =>
      equalValues(element, wanted),
    ),
  ),
  $arrayElemAt: fixed(
    2,
    nullable(([array, index], name) => elementAt(array, indexFor(index, name), name)),
  ),
  $first: fixed(
    1,
    nullable(([array], name) => elementAt(array, 0, name)),
  ),
  $last: fixed(
    1,
    nullable(([array], name) => elementAt(array, -1, name)),
  ),
  $slice: between([2, 3], nullable(slice)),
  $concatArrays: (argument, compiler) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    return (frame) => {
      const values = parts.map((part) => part(frame))
      if (values.some(isNullish)) return null
      return values.flatMap((value) => arrayFor(value, 'Location28664', '$concatArrays only supports arrays, not'))
    }
  },
  $reverseArray: fixed(
    1,
    nullable(([value]) =>
      arrayFor(value, 'Location34435', 'The argument to $reverseArray must be an array, but was of type:').toReversed(),
    ),
  ),
  $range: between([2, 3], range),
  $indexOfArray: between([2, 4], indexOf),
}

/** The array, or a refusal that names the type found instead. */
export function arrayFor(value: Value, code: CodeName, complaint: string): Value[] {
  if (Array.isArray(value)) return value
  throw new CommandError(code, `${complaint} ${typeOf(value)}`)
}

function elementAt(value: Value, index: number, name: string): Value {
  const array = arrayFor(value, 'Location28689', `${name}'s first argument must be an array, but is`)
  return array.at(index)
}

function indexFor(value: Value, name: string): number {
  if (!isNumber(value)) {
    throw new CommandError(
      'Location28690',
      `${name}'s second argument must be a numeric value, but is ${typeOf(value)}`,
    )
  }
  return int32For(value, 'Location28691', `${name}'s second argument must be representable as a 32-bit integer`)
}

function int32For(value: Value, code: CodeName, complaint: string): number {
  const whole = toExactInteger(value)
  if (whole === undefined || whole > BigInt(MAX_INT) || whole < BigInt(MIN_INT)) throw new CommandError(code, complaint)
  return Number(whole)
}

function slice(values: Value[]): Value {
  const array = arrayFor(values[0], 'Location28724', 'First argument to $slice must be an array, but is of type:')
  if (!isNumber(values[1])) {
    throw new CommandError(
      'Location28725',
      `Second argument to $slice must be a numeric value, but is of type: ${typeOf(values[1])}`,
    )
  }
  const second = int32For(
    values[1],
    'Location28726',
    "Second argument to $slice can't be represented as a 32-bit integer",
  )
  if (values.length === 2) return second >= 0 ? array.slice(0, second) : array.slice(second)
  if (!isNumber(values[2])) {
    throw new CommandError(
      'Location28727',
      `Third argument to $slice must be numeric, but is of type: ${typeOf(values[2])}`,
    )
  }
  const count = int32For(
    values[2],
    'Location28728',
    "Third argument to $slice can't be represented as a 32-bit integer",
  )
  if (count <= 0) throw new CommandError('Location28729', 'Third argument to $slice must be positive')
  const start = second >= 0 ? second : Math.max(array.length + second, 0)
  return array.slice(start, start + count)
}

function range(values: Value[]): Value {
  const [start = 0, end = 0, step = 1] = values.map((value, i) => {
    const which = ['starting', 'ending', 'step'][i] ?? ''
    const code = (['Location34443', 'Location34445', 'Location34447'] as const)[i] ?? 'BadValue'
    if (!isNumber(value))
      throw new CommandError(code, `$range requires a numeric ${which} value, found value of type: ${typeOf(value)}`)
    const whole = (['Location34444', 'Location34446', 'Location34448'] as const)[i] ?? 'BadValue'
    return int32For(value, whole, `$range requires a ${which} value that can be represented as a 32-bit integer`)
  })
  if (step === 0) throw new CommandError('Location34449', '$range requires a non-zero step value')
  const length = Math.max(Math.ceil((end - start) / step), 0)
  if (length > MAX_RANGE) throw new CommandError('ExceededMemoryLimit', '$range would make too large an array')
  return Array.from({ length }, (_, i) => new Int32(start + i * step))
}

const MAX_RANGE = 1_500_000

function indexOf(values: Value[], name: string): Value {
  const [array, wanted] = values
  if (isNullish(array)) return null
  const elements = arrayFor(array, 'Location40090', `${name} requires an array as a first argument, found:`)
  const [start = 0, end = elements.length] = values.slice(2).map((value) => {
    const position = toExactInteger(value)
    if (position === undefined)
      throw new CommandError(
        'Location40096',
        `${name} requires an integral index, found a value of type: ${typeOf(value)}`,
      )
    if (position < 0n)
      throw new CommandError('Location40097', `${name} requires a nonnegative index, found: ${position}`)
    return Number(position)
  })
  return new Int32(elements.findIndex((element, i) => i >= start && i < end && equalValues(element, wanted)))
}
