import { BSONRegExp, BSONSymbol, Int32, MaxKey, MinKey, ObjectId } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { compileRegex } from './regex.ts'
import type { Hit } from '../bson/path.ts'
import { isNumber, toExactInteger, toInteger } from '../bson/numbers.ts'
import { asDoc, compareValues, typeOf, typeRank } from '../bson/compare.ts'
import type { BsonTypeName, Value } from '../bson/compare.ts'

/** Tests one value; arrays are expanded by the caller. */
export type Leaf = (value: Value, hit?: Hit) => boolean

/** The value itself; MongoDB refuses to compare with undefined. */
export function refuseUndefined(value: Value): Value {
  if (value === undefined) throw new CommandError('BadValue', 'cannot compare to undefined')
  return value
}

/** `$eq`: null also matches a missing field. */
export function equality(wanted: Value): Leaf {
  if (wanted === null) return (value) => value === null || value === undefined
  if (typeof wanted === 'boolean') return (value) => value === wanted
  const general: Leaf = (value) => value !== undefined && compareValues(value, wanted) === 0
  if (typeof wanted === 'string') return (value) => (typeof value === 'string' ? value === wanted : general(value))
  if (wanted instanceof ObjectId) return (value) => value instanceof ObjectId && wanted.equals(value)
  if (wanted instanceof Int32) {
    return (value) => (value instanceof Int32 ? value.value === wanted.value : general(value))
  }
  return general
}

type Ordering = '$gt' | '$gte' | '$lt' | '$lte'

/** `$gt`, `$gte`, `$lt`, `$lte`: only values of the operand's own type bracket match, except against MinKey and MaxKey. */
export function comparison(name: Ordering, wanted: Value): Leaf {
  if (wanted instanceof BSONRegExp) {
    throw new CommandError('BadValue', `Can't have RegEx as arg to predicate over field with ${name}.`)
  }
  const orEqual = name === '$gte' || name === '$lte'
  if (wanted === null) return (value) => orEqual && (value === null || value === undefined)
  const sign = name === '$gt' || name === '$gte' ? 1 : -1
  const rank = typeRank(wanted)
  const otherType = (wanted instanceof MaxKey && sign < 0) || (wanted instanceof MinKey && sign > 0)
  const unordered = isNumber(wanted) && isNaNValue(wanted)
  return (value) => {
    if (value instanceof Int32 && wanted instanceof Int32) {
      return value.value === wanted.value ? orEqual : (value.value - wanted.value) * sign > 0
    }
    if (typeRank(value) !== rank) return otherType
    const order = compareValues(value, wanted)
    if (order === 0) return orEqual
    return order * sign > 0 && !unordered && !(isNumber(value) && isNaNValue(value))
  }
}

function isNaNValue(value: Value): boolean {
  return isNumber(value) && Number.isNaN(Number(value.toString()))
}

/** `$in`: any of the listed values, regular expressions included. */
export function listed(name: '$in' | '$nin', argument: Value): Leaf {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', `${name} needs an array`)
  const texts = new Set<string>()
  const ids = new Set<string>()
  const others: Value[] = []
  const tests: Leaf[] = []
  for (const wanted of argument) {
    const [first] = Object.keys(asDoc(wanted) ?? {})
    if (first?.startsWith('$') && first !== '$ref') throw new CommandError('BadValue', `cannot nest $ under ${name}`)
    if (wanted instanceof BSONRegExp) tests.push(textMatch(wanted))
    else if (wanted === null) tests.push(equality(null))
    else if (typeof wanted === 'string') texts.add(wanted)
    else if (wanted instanceof ObjectId) ids.add(wanted.toHexString())
    else others.push(refuseUndefined(wanted))
  }
  others.sort(compareValues)
  return (value, hit) => {
    if (typeof value === 'string' && texts.has(value)) return true
    if (value instanceof ObjectId) return ids.has(value.toHexString())
    return (value !== undefined && contains(others, value)) || tests.some((test) => test(value, hit))
  }
}

function contains(sorted: Value[], wanted: Value): boolean {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = compareValues(sorted[middle], wanted)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return false
}

const typeNumbers: Record<string, BsonTypeName | 'undefined' | 'dbPointer'> = {
  '-1': 'minKey',
  '1': 'double',
  '2': 'string',
  '3': 'object',
  '4': 'array',
  '5': 'binData',
  '6': 'undefined',
  '7': 'objectId',
  '8': 'bool',
  '9': 'date',
  '10': 'null',
  '11': 'regex',
  '12': 'dbPointer',
  '13': 'javascript',
  '14': 'symbol',
  '15': 'javascriptWithScope',
  '16': 'int',
  '17': 'timestamp',
  '18': 'long',
  '19': 'decimal',
  '127': 'maxKey',
}
const numberTypes = ['int', 'long', 'double', 'decimal']
const typeNames = new Set<string>(Object.values(typeNumbers))

/** `$type` with names, numbers, or an array of them. */
export function typed(argument: Value): Leaf {
  const wanted = Array.isArray(argument) ? argument : [argument]
  if (wanted.length === 0) throw new CommandError('FailedToParse', '$type must match at least one type')
  const names = new Set(wanted.flatMap(typeNamed))
  return (value) => names.has(typeOf(value))
}

/** The type names that a `$type` operand stands for: a name, a number, or the group `number`. */
export function typeNamed(value: Value): string[] {
  if (typeof value === 'string') {
    if (value === 'number') return numberTypes
    if (!typeNames.has(value)) throw new CommandError('BadValue', `Unknown type name alias: ${value}`)
    return [value]
  }
  if (!isNumber(value)) throw new CommandError('TypeMismatch', 'type must be represented as a number or a string')
  const name = typeNumbers[String(toExactInteger(value))]
  if (name === undefined) throw new CommandError('BadValue', `Invalid numerical type code: ${value.toString()}`)
  return [name]
}

/** `$size`: an array of exactly that many elements. */
export function sized(argument: Value): Leaf {
  const size = toExactInteger(argument)
  if (size === undefined) throw new CommandError('BadValue', 'Failed to parse $size. Expected an integer')
  if (size < 0n) throw new CommandError('BadValue', 'Failed to parse $size. Expected a non-negative number')
  return (value) => Array.isArray(value) && value.length === Number(size)
}

/** `$mod: [divisor, remainder]` on numbers cut off to whole ones. */
export function modulo(argument: Value): Leaf {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', 'malformed mod, needs to be an array')
  if (argument.length < 2) throw new CommandError('BadValue', 'malformed mod, not enough elements')
  if (argument.length > 2) throw new CommandError('BadValue', 'malformed mod, too many elements')
  const divisor = wholePart(argument[0], 'divisor')
  const remainder = wholePart(argument[1], 'remainder')
  if (divisor === 0n) throw new CommandError('BadValue', 'divisor cannot be 0')
  return (value) => {
    const whole = isNumber(value) ? toInteger(value) : undefined
    return whole !== undefined && whole % divisor === remainder
  }
}

function wholePart(value: Value, what: string): bigint {
  const whole = isNumber(value) ? toInteger(value) : undefined
  if (whole === undefined) throw new CommandError('BadValue', `malformed mod, ${what} not a number`)
  return whole
}

/** A regular expression in BSON's form. */
export type Regex = { pattern: string; options: string }

/** The regular expression that `$regex` and `$options` describe together. */
export function regexOf(pattern: Value, options: Value): Regex {
  if (options !== undefined && typeof options !== 'string') {
    throw new CommandError('BadValue', '$options has to be a string')
  }
  if (typeof pattern === 'string') return { pattern, options: options ?? '' }
  if (!(pattern instanceof BSONRegExp)) throw new CommandError('BadValue', '$regex has to be a string')
  if (options === undefined) return pattern
  if (pattern.options !== '') throw new CommandError('Location51075', 'options set in both $regex and $options')
  return { pattern: pattern.pattern, options }
}

/** A regular expression as a condition: strings that it finds something in, and the same expression as a value. */
export function textMatch({ pattern, options }: Regex): Leaf {
  const compiled = compileRegex(pattern, options)
  const sorted = [...options].sort().join('')
  return (value) => {
    if (typeof value === 'string') return compiled.test(value)
    if (value instanceof BSONSymbol) return compiled.test(value.value)
    return value instanceof BSONRegExp && value.pattern === pattern && value.options === sorted
  }
}
