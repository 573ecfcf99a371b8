import { Int32, Long } from 'bson'
import { fromLocal, instantOf, toLocal } from './date-zone.ts'
import type { Zone } from './date-zone.ts'
import { zoneReader } from './dates.ts'
import { isNullish } from './frame.ts'
import type { Compiler, Expression, Frame, Operators } from './frame.ts'
import { named } from './logic.ts'
import { CommandError } from '../errors/command-error.ts'
import { toExactInteger } from '../bson/numbers.ts'
import { typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** Calculations with dates in units of time; from the day upwards on the wall clock of the time zone. */
export const dateMath: Operators = {
  $dateAdd: (argument, compiler, name) => shift(argument, compiler, { name, sign: 1 }),
  $dateSubtract: (argument, compiler, name) => shift(argument, compiler, { name, sign: -1 }),
  $dateDiff: difference,
  $dateTrunc: truncate,
}

const DAY = 86_400_000
const fixedUnits: Record<string, number | undefined> = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000 }
const dayUnits: Record<string, number | undefined> = { day: 1, week: 7 }
const monthUnits: Record<string, number | undefined> = { month: 1, quarter: 3, year: 12 }

function unitFrom(value: Value, operator: string): string {
  if (typeof value === 'string' && (value in fixedUnits || value in dayUnits || value in monthUnits)) return value
  throw new CommandError(
    'FailedToParse',
    `unknown time unit value for ${operator}: ${typeof value === 'string' ? value : typeOf(value)}`,
  )
}

type Evaluated = { values: Value[]; zone: Zone; unit: string }

/** Evaluates the operands; undefined as soon as one is null or missing. */
function evaluator(parts: Record<string, Expression | undefined>, names: string[], operator: string) {
  const readZone = zoneReader(parts.timezone)
  return (frame: Frame): Evaluated | undefined => {
    const values = names.map((name) => parts[name]?.(frame))
    const unit = parts.unit?.(frame)
    const zone = readZone(frame)
    if (isNullish(unit) || zone === null || values.some(isNullish)) return undefined
    return { values, zone, unit: unitFrom(unit, operator) }
  }
}

function shift(argument: Value, compiler: Compiler, { name, sign }: { name: string; sign: 1 | -1 }): Expression {
  const required = ['startDate', 'unit', 'amount']
  const parts = named(argument, compiler, { operator: name, required, optional: ['timezone'] })
  const evaluate = evaluator(parts, ['startDate', 'amount'], name)
  return (frame) => {
    const given = evaluate(frame)
    if (!given) return null
    const [start, amount] = given.values
    const whole = toExactInteger(amount)
    if (whole === undefined) throw new CommandError('Location5166405', `${name} expects integer amount of time units`)
    const moved = shifted(instantOf(start), sign * Number(whole), given)
    if (Number.isNaN(moved.getTime())) throw new CommandError('Location5976500', `${name} overflowed`)
    return moved
  }
}

function shifted(start: Date, amount: number, { unit, zone }: Evaluated): Date {
  const exact = fixedUnits[unit]
  if (exact !== undefined) return new Date(start.getTime() + amount * exact)
  const local = toLocal(start, zone)
  const days = dayUnits[unit]
  if (days !== undefined) return fromLocal(local.getTime() + amount * days * DAY, zone)
  const month = local.getUTCMonth() + amount * (monthUnits[unit] ?? 1)
  const lastDay = new Date(Date.UTC(local.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return fromLocal(local.setUTCMonth(month, Math.min(local.getUTCDate(), lastDay)), zone)
}

function difference(argument: Value, compiler: Compiler, name: string): Expression {
  const required = ['startDate', 'endDate', 'unit']
  const parts = named(argument, compiler, { operator: name, required, optional: ['timezone', 'startOfWeek'] })
  const evaluate = evaluator(parts, ['startDate', 'endDate'], name)
  return (frame) => {
    const given = evaluate(frame)
    if (!given) return null
    const first = weekStart(parts.startOfWeek, frame, given.unit)
    if (first === null) return null
    const [start, end] = given.values.map(instantOf)
    if (!start || !end) return null
    return Long.fromNumber(boundaries(end, given, first) - boundaries(start, given, first))
  }
}

/** How many boundaries of the unit lie between the epoch and the instant. */
function boundaries(instant: Date, { unit, zone }: Evaluated, firstDay: number): number {
  const local = toLocal(instant, zone)
  const months = monthUnits[unit]
  if (months !== undefined) return Math.floor((local.getUTCFullYear() * 12 + local.getUTCMonth()) / months)
  const days = Math.floor(local.getTime() / DAY)
  if (unit === 'day') return days
  if (unit === 'week') return Math.floor((days - daysToFirst(firstDay)) / 7)
  const size = fixedUnits[unit] ?? 1
  const offset = local.getTime() - instant.getTime()
  return Math.floor(local.getTime() / size) - Math.floor(offset / size)
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The days from 1 January 1970, a Thursday, to the first day on which a week begins. */
function daysToFirst(firstDay: number): number {
  return (firstDay - 4 + 7) % 7
}

function weekStart(expression: Expression | undefined, frame: Frame, unit: string): number | null {
  if (!expression || unit !== 'week') return 0
  const value = expression(frame)
  if (isNullish(value)) return null
  const day = typeof value === 'string' ? value.toLowerCase() : ''
  const index = weekdays.findIndex((name) => name === day || name.slice(0, 3) === day)
  if (index < 0) throw new CommandError('FailedToParse', `unknown day of week value: ${String(value)}`)
  return index
}

function truncate(argument: Value, compiler: Compiler, name: string): Expression {
  const optional = ['binSize', 'timezone', 'startOfWeek']
  const parts = named(argument, compiler, { operator: name, required: ['date', 'unit'], optional })
  const evaluate = evaluator(parts, ['date'], name)
  return (frame) => {
    const given = evaluate(frame)
    const size = parts.binSize ? parts.binSize(frame) : new Int32(1)
    if (!given || isNullish(size)) return null
    const bin = toExactInteger(size)
    if (bin === undefined)
      throw new CommandError('Location5439017', `${name} requires 'binSize' to be a 64-bit integer`)
    if (bin <= 0n)
      throw new CommandError('Location5439018', `${name} requires 'binSize' to be greater than 0, but got value ${bin}`)
    const first = weekStart(parts.startOfWeek, frame, given.unit)
    return first === null ? null : truncated(instantOf(given.values[0]), given, { bin: Number(bin), first })
  }
}

const REFERENCE = Date.UTC(2000, 0, 1)

/** Bins are counted from 1 January 2000, for weeks from the first beginning of a week after it. */
function truncated(date: Date, { unit, zone }: Evaluated, { bin, first }: { bin: number; first: number }): Date {
  const size = fixedUnits[unit]
  if (size !== undefined) {
    const reference = fromLocal(REFERENCE, zone).getTime()
    return new Date(reference + Math.floor((date.getTime() - reference) / (size * bin)) * size * bin)
  }
  const local = toLocal(date, zone)
  const days = dayUnits[unit]
  if (days !== undefined) {
    const length = days * bin * DAY
    const reference = unit === 'week' ? REFERENCE + ((first - 6 + 7) % 7) * DAY : REFERENCE
    return fromLocal(reference + Math.floor((local.getTime() - reference) / length) * length, zone)
  }
  const length = (monthUnits[unit] ?? 1) * bin
  const months = (local.getUTCFullYear() - 2000) * 12 + local.getUTCMonth()
  return fromLocal(Date.UTC(2000, Math.floor(months / length) * length, 1), zone)
}
