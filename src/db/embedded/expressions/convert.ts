import { Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import { instantOf, parseDate } from './date-zone.ts'
import { fixed, isNullish, isTrue } from './frame.ts'
import type { Compiler, Expression, Operator, Operators } from './frame.ts'
import { named } from './logic.ts'
import { numberText } from './text.ts'
import { CommandError } from '../errors/command-error.ts'
import { typeNamed } from '../query/leaf.ts'
import { integer, isNumber, toDecimal, toDouble, toInteger } from '../bson/numbers.ts'
import type { Numeric } from '../bson/numbers.ts'
import { typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

const converters: Readonly<Record<string, (value: Value) => Value>> = {
  string: toText,
  int: (value) => toWhole(value, 'int'),
  long: (value) => toWhole(value, 'long'),
  double: (value) => new Double(toDouble(toNumeric(value, 'double'))),
  decimal: (value) => toDecimal(toNumeric(value, 'decimal')),
  bool: (value) => (isNumber(value) || typeof value === 'boolean' ? isTrue(value) : true),
  date: toDate,
  objectId: toObjectId,
}

/** Conversions between types; what cannot be converted is refused as ConversionFailure (241). */
export const conversions: Operators = {
  $type: fixed(1, ([value]) => typeOf(value)),
  $isNumber: fixed(1, ([value]) => isNumber(value)),
  $toString: shortFor('string'),
  $toInt: shortFor('int'),
  $toLong: shortFor('long'),
  $toDouble: shortFor('double'),
  $toDecimal: shortFor('decimal'),
  $toBool: shortFor('bool'),
  $toDate: shortFor('date'),
  $toObjectId: shortFor('objectId'),
  $convert: convert,
}

function shortFor(type: string): Operator {
  return fixed(1, ([value]) => (isNullish(value) ? null : converters[type]?.(value)))
}

function convert(argument: Value, compiler: Compiler, name: string): Expression {
  const optional = ['onError', 'onNull']
  const parts = named(argument, compiler, { operator: name, required: ['input', 'to'], optional })
  return (frame) => {
    const value = parts.input?.(frame)
    if (isNullish(value)) return parts.onNull ? parts.onNull(frame) : null
    const to = parts.to?.(frame)
    if (isNullish(to)) return null
    const converter = converters[typeNamed(to)[0] ?? '']
    try {
      if (!converter) throw unsupported(value, String(to))
      return converter(value)
    } catch (error) {
      const failed = error instanceof CommandError && error.codeName === 'ConversionFailure'
      if (failed && parts.onError) return parts.onError(frame)
      throw error
    }
  }
}

function unsupported(value: Value, to: string): CommandError {
  return failure(`Unsupported conversion from ${typeOf(value)} to ${to} in $convert with no onError value`)
}

function failure(message: string): CommandError {
  return new CommandError('ConversionFailure', message)
}

function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (isNumber(value)) return numberText(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof ObjectId) return value.toHexString()
  throw unsupported(value, 'string')
}

function toNumeric(value: Value, to: string): Numeric {
  if (isNumber(value)) return value
  if (typeof value === 'boolean') return new Int32(Number(value))
  if (value instanceof Date) return Long.fromNumber(value.getTime())
  if (typeof value !== 'string') throw unsupported(value, to)
  const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)
  if (!decimal && !/^[+-]?(?:inf|infinity|nan)$/i.test(value)) throw unparsable(value)
  if (to === 'decimal') return Decimal128.fromStringWithRounding(value)
  return new Double(Number(decimal ? value : value.replace(/inf(?:inity)?/i, 'Infinity')))
}

function unparsable(text: string): CommandError {
  return failure(`Failed to parse number '${text}' in $convert with no onError value`)
}

function toWhole(value: Value, type: 'int' | 'long'): Int32 | Long {
  if (value instanceof Date && type === 'int') throw unsupported(value, type)
  const whole = typeof value === 'string' ? wholeText(value) : toInteger(toNumeric(value, type))
  const result = whole === undefined ? undefined : integer(whole, type)
  if (result === undefined || (type === 'int' && !(result instanceof Int32))) {
    throw failure(`Conversion would overflow target type in $convert with no onError value: ${String(value)}`)
  }
  return result
}

function wholeText(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw unparsable(text)
  return BigInt(text.replace(/^\+/, ''))
}

function toDate(value: Value): Date {
  if (value instanceof Date || value instanceof ObjectId || value instanceof Timestamp) return instantOf(value)
  if (typeof value === 'string') return parseDate(value)
  if (!isNumber(value) || value instanceof Int32) throw unsupported(value, 'date')
  const time = Math.trunc(toDouble(value))
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) throw failure(`Conversion would overflow target type in $convert: ${String(value)}`)
  return date
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value
  if (typeof value !== 'string') throw unsupported(value, 'objectId')
  if (!/^[0-9a-fA-F]{24}$/.test(value)) {
    throw failure(`Failed to parse objectId '${value}' in $convert with no onError value`)
  }
  return new ObjectId(value)
}
