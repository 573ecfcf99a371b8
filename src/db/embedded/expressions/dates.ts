import { Int32, Long } from 'bson'
import { dateText } from './date-format.ts'
import { dayOfYear, isoWeek, week } from './date-weeks.ts'
import { instantOf, parseDate, toLocal, utc, zoneOf } from './date-zone.ts'
import type { Zone } from './date-zone.ts'
import { isNullish } from './frame.ts'
import type { Compiler, Expression, Frame, Operator, Operators } from './frame.ts'
import { named } from './logic.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** The parts of a date, and dates from and to text; all take an optional time zone. */
export const dates: Operators = {
  $year: part((local) => local.getUTCFullYear()),
  $month: part((local) => local.getUTCMonth() + 1),
  $dayOfMonth: part((local) => local.getUTCDate()),
  $dayOfYear: part(dayOfYear),
  $dayOfWeek: part((local) => local.getUTCDay() + 1),
  $week: part(week),
  $isoWeek: part((local) => isoWeek(local).week),
  $isoWeekYear: part((local) => Long.fromNumber(isoWeek(local).year)),
  $isoDayOfWeek: part((local) => local.getUTCDay() || 7),
  $hour: part((local) => local.getUTCHours()),
  $minute: part((local) => local.getUTCMinutes()),
  $second: part((local) => local.getUTCSeconds()),
  $millisecond: part((local) => local.getUTCMilliseconds()),
  $dateToString: dateToString,
  $dateFromString: dateFromString,
}

function part(read: (local: Date) => number | Long): Operator {
  return (argument, compiler, name) => {
    const { date, timezone } = dateOperands(argument, compiler, name)
    const readZone = zoneReader(timezone)
    return (frame) => {
      const value = date?.(frame)
      const zone = readZone(frame)
      if (isNullish(value) || zone === null) return null
      const found = read(toLocal(instantOf(value), zone))
      return typeof found === 'number' ? new Int32(found) : found
    }
  }
}

function dateOperands(argument: Value, compiler: Compiler, name: string): Record<string, Expression | undefined> {
  const doc = asDoc(argument)
  const isNamed = doc !== undefined && !Object.keys(doc)[0]?.startsWith('$')
  if (isNamed) return named(argument, compiler, { operator: name, required: ['date'], optional: ['timezone'] })
  if (Array.isArray(argument) && argument.length !== 1) {
    throw new CommandError(
      'Location40536',
      `${name} accepts exactly one argument if given an array, but was given ${argument.length}`,
    )
  }
  return { date: compiler.compile(Array.isArray(argument) ? argument[0] : argument) }
}

/** Reads an optional `timezone` operand: UTC without one, null when it is null or missing; the last zone is kept. */
export function zoneReader(timezone: Expression | undefined): (frame: Frame) => Zone | null {
  if (!timezone) return () => utc
  let last: { name: Value; zone: Zone } | undefined
  return (frame) => {
    const name = timezone(frame)
    if (isNullish(name)) return null
    if (last?.name !== name) last = { name, zone: zoneOf(name) }
    return last.zone
  }
}

const DEFAULT_FORMAT = '%Y-%m-%dT%H:%M:%S.%L'

function dateToString(argument: Value, compiler: Compiler, name: string): Expression {
  const optional = ['format', 'timezone', 'onNull']
  const parts = named(argument, compiler, { operator: name, required: ['date'], optional })
  const readZone = zoneReader(parts.timezone)
  return (frame) => {
    const zone = readZone(frame)
    const format = parts.format ? parts.format(frame) : zone === utc ? `${DEFAULT_FORMAT}Z` : DEFAULT_FORMAT
    const value = parts.date?.(frame)
    if (isNullish(value)) return parts.onNull ? parts.onNull(frame) : null
    if (isNullish(format) || zone === null) return null
    if (typeof format !== 'string') {
      throw new CommandError(
        'Location18533',
        `$dateToString requires that 'format' be a string, found: ${typeOf(format)}`,
      )
    }
    return dateText(instantOf(value), format, zone)
  }
}

function dateFromString(argument: Value, compiler: Compiler, name: string): Expression {
  const optional = ['timezone', 'onError', 'onNull']
  const parts = named(argument, compiler, { operator: name, required: ['dateString'], optional })
  const readZone = parts.timezone ? zoneReader(parts.timezone) : undefined
  return (frame) => {
    const value = parts.dateString?.(frame)
    if (isNullish(value)) return parts.onNull ? parts.onNull(frame) : null
    const zone = readZone?.(frame)
    if (zone === null) return null
    try {
      if (typeof value === 'string') return parseDate(value, zone)
      throw new CommandError(
        'ConversionFailure',
        `$dateFromString requires that 'dateString' be a string, found: ${typeOf(value)}`,
      )
    } catch (error) {
      if (parts.onError && error instanceof CommandError && error.codeName === 'ConversionFailure')
        return parts.onError(frame)
      throw error
    }
  }
}
