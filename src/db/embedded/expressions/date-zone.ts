import { ObjectId, Timestamp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** The milliseconds that a time zone is ahead of UTC at an instant. */
export type Zone = (instant: number) => number

const MINUTE = 60_000

/** UTC, the zone of everything without a `timezone`. */
export const utc: Zone = () => 0

/** The zone of an Olson name (`Europe/Berlin`) or an offset (`+02`, `+0200`, `+02:00`); others are refused (40485). */
export function zoneOf(value: Value): Zone {
  if (typeof value !== 'string') {
    throw new CommandError('Location40517', `timezone must evaluate to a string, found ${typeOf(value)}`)
  }
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(value)
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0)
    return () => (offset[1] === '-' ? -minutes : minutes) * MINUTE
  }
  if (value === 'UTC' || value === 'GMT' || value === 'Z') return utc
  if (!/^[A-Za-z]/.test(value)) throw unknownZone(value)
  return namedZone(value)
}

function unknownZone(name: string): CommandError {
  return new CommandError('Location40485', `unrecognized time zone identifier: "${name}"`)
}

function namedZone(timeZone: string): Zone {
  const format = formatFor(timeZone)
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const local = Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second)
    return local - Math.floor(instant / 1000) * 1000
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw unknownZone(timeZone)
  }
}

/** The wall clock of a zone at an instant, as a Date whose UTC fields show it. */
export function toLocal(instant: Date, zone: Zone): Date {
  return new Date(instant.getTime() + zone(instant.getTime()))
}

/** The instant at which the zone's wall clock shows this; in a gap the clock's reading before it counts. */
export function fromLocal(local: number, zone: Zone): Date {
  const guess = local - zone(local)
  const second = local - zone(guess)
  return new Date(zone(second) === local - second ? second : Math.max(guess, second))
}

/** The instant of a Date, an ObjectId or a Timestamp; other types are refused (16006). */
export function instantOf(value: Value): Date {
  if (value instanceof Date) return value
  if (value instanceof ObjectId) return value.getTimestamp()
  if (value instanceof Timestamp) return new Date(value.t * 1000)
  throw new CommandError('Location16006', `can't convert from BSON type ${typeOf(value)} to Date`)
}

const isoDate =
  /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/

/** Reads an ISO 8601 date; without an offset of its own it is in the given zone. */
export function parseDate(text: string, zone?: Zone): Date {
  const found = isoDate.exec(text)
  if (!found) throw badDate(text)
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '0', own] = found
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`)
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) throw badDate(text)
  if (own !== undefined && zone !== undefined) {
    throw new CommandError(
      'ConversionFailure',
      `you cannot pass in a date/time string with time zone information ('${own}') together with a timezone argument`,
    )
  }
  const local = date.getTime() + Math.floor(Number(`0.${fraction}`) * 1000)
  return fromLocal(local, own === undefined ? (zone ?? utc) : zoneOf(own))
}

function badDate(text: string): CommandError {
  return new CommandError('ConversionFailure', `Error parsing date string '${text}'`)
}
