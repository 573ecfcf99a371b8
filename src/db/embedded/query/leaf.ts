import { BSONRegExp, Int32, ObjectId } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { isNumber, toDouble, toExactInteger } from '../bson/numbers.ts'
import type { Hit } from '../bson/path.ts'
import { asDoc, typeRank } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { parsePattern, textTest } from './regex.ts'
import type { Regex } from './regex.ts'

/** Tests one value; arrays are expanded by the caller. */
export type Leaf = (value: Value, hit?: Hit) => boolean

/** `$eq`: null also matches a missing field. */
export function equality(operand: Value): Leaf {
  if (operand === null) return (value) => value === null || value === undefined
  if (typeof operand === 'boolean') return (value) => value === operand
  const general: Leaf = (value) => value !== undefined && compareValues(value, operand) === 0
  if (typeof operand === 'string') return (value) => (typeof value === 'string' ? value === operand : general(value))
  if (operand instanceof ObjectId) return (value) => value instanceof ObjectId && operand.equals(value)
  if (operand instanceof Int32) {
    return (value) => (value instanceof Int32 ? value.value === operand.value : general(value))
  }
  return general
}

export type Ordering = '$gt' | '$gte' | '$lt' | '$lte'

/** `$gt`, `$gte`, `$lt`, `$lte`: match only values of the operand's type bracket. */
export function comparison(name: Ordering, operand: Value): Leaf {
  if (operand instanceof BSONRegExp) {
    throw new CommandError('BadValue', `Can't have RegEx as arg to predicate over field with ${name}.`)
  }
  const orEqual = name === '$gte' || name === '$lte'
  if (operand === null) return (value) => orEqual && (value === null || value === undefined)
  const sign = name === '$gt' || name === '$gte' ? 1 : -1
  const rank = typeRank(operand)
  const unordered = isNaNValue(operand)
  return (value) => {
    if (value instanceof Int32 && operand instanceof Int32) {
      return value.value === operand.value ? orEqual : (value.value - operand.value) * sign > 0
    }
    if (typeRank(value) !== rank) return false
    const order = compareValues(value, operand)
    if (order === 0) return orEqual
    return order * sign > 0 && !unordered && !isNaNValue(value)
  }
}

function isNaNValue(value: Value): boolean {
  return isNumber(value) && Number.isNaN(toDouble(value))
}

/** `$in`: matches any listed value, including regular expressions. */
export function listed(name: '$in' | '$nin', argument: Value): Leaf {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', `${name} needs an array`)
  const texts = new Set<string>()
  const ids = new Set<string>()
  const others: Value[] = []
  const tests: Leaf[] = []
  for (const operand of argument) {
    const [first] = Object.keys(asDoc(operand) ?? {})
    if (first?.startsWith('$') && first !== '$ref') throw new CommandError('BadValue', `cannot nest $ under ${name}`)
    if (operand instanceof BSONRegExp) tests.push(textMatch(operand))
    else if (operand === null) tests.push(equality(null))
    else if (typeof operand === 'string') texts.add(operand)
    else if (operand instanceof ObjectId) ids.add(operand.toHexString())
    else others.push(operand)
  }
  others.sort(compareValues)
  return (value, hit) => {
    if (typeof value === 'string' && texts.has(value)) return true
    if (value instanceof ObjectId) return ids.has(value.toHexString())
    return (value !== undefined && contains(others, value)) || tests.some((test) => test(value, hit))
  }
}

function contains(sorted: Value[], operand: Value): boolean {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = compareValues(sorted[middle], operand)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return false
}

/** `$size`: matches an array of exactly that many elements. */
export function sized(argument: Value): Leaf {
  const size = toExactInteger(argument)
  if (size === undefined) throw new CommandError('BadValue', 'Failed to parse $size. Expected an integer')
  if (size < 0n) throw new CommandError('BadValue', 'Failed to parse $size. Expected a non-negative number')
  return (value) => Array.isArray(value) && value.length === Number(size)
}

/** A regular expression as a condition: matches strings that contain a match, and the stored expression itself. */
export function textMatch(regex: Regex): Leaf {
  const test = textTest(parsePattern(regex))
  return (value) => {
    if (typeof value === 'string') return test(value)
    return value instanceof BSONRegExp && value.pattern === regex.pattern && value.options === regex.options
  }
}
