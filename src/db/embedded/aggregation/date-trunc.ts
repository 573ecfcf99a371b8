import { toExactInteger } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'

/** The supported units of `$dateTrunc`, in ms. */
const units: ReadonlyMap<string, number> = new Map([['minute', 60_000]])

/** Bins are aligned to the start of the year 2000, UTC. */
const reference = Date.UTC(2000, 0, 1)

/**
 * `$dateTrunc: {date, unit, binSize}`: the start of the bin that contains the date, in UTC. The unit and the size are
 * constants. Refuses other units, time zones and weeks (CommandNotSupported).
 */
export function truncateDate(argument: Value, compile: (operand: Value) => (root: Doc) => Value): (root: Doc) => Value {
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('FailedToParse', '$dateTrunc requires an object as an argument')
  for (const name of Object.keys(doc)) {
    if (!['date', 'unit', 'binSize'].includes(name)) throw notSupported(`The argument ${name}`)
  }
  const date = compile(doc['date'])
  const bin = unitOf(doc['unit']) * binSizeOf(doc['binSize'])
  return (root) => {
    const value = date(root)
    if (value === null || value === undefined) return null
    if (!(value instanceof Date)) {
      throw new CommandError('Location5439012', `$dateTrunc requires 'date' to be a date, but got ${typeOf(value)}`)
    }
    return new Date(reference + Math.floor((value.getTime() - reference) / bin) * bin)
  }
}

function unitOf(value: Value): number {
  const unit = typeof value === 'string' ? units.get(value) : undefined
  if (unit === undefined) throw notSupported(`The unit ${typeof value === 'string' ? value : typeOf(value)}`)
  return unit
}

function binSizeOf(value: Value): number {
  if (value === undefined) return 1
  const size = toExactInteger(value)
  if (size === undefined) {
    throw new CommandError('Location5439017', "$dateTrunc requires 'binSize' to be a 64-bit integer")
  }
  if (size <= 0n) {
    throw new CommandError('Location5439018', `$dateTrunc requires 'binSize' to be greater than 0, but got ${size}`)
  }
  return Number(size)
}

function notSupported(what: string): CommandError {
  return new CommandError('CommandNotSupported', `${what} of $dateTrunc is not supported by this store`)
}
