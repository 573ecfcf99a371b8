import { BSONSymbol, Code, Double, Timestamp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { isNumber } from '../bson/numbers.ts'
import { typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** A number as MongoDB writes it: a whole double without a point. */
export function numberText(value: Value): string {
  if (!(value instanceof Double)) return String(value)
  const { value: number } = value
  return Object.is(number, -0) ? '-0' : String(number)
}

/** The text that string operators take for a value: null and missing as '', numbers and dates written out. */
export function textOf(value: Value, operator: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (isNumber(value)) return numberText(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof BSONSymbol) return value.value
  if (value instanceof Code) return value.code
  if (value instanceof Timestamp) return new Date(value.t * 1000).toISOString()
  throw new CommandError('Location16007', `can't convert from BSON type ${typeOf(value)} to String in ${operator}`)
}
