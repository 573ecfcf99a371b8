import { dayOfYear, isoWeek, week } from './date-weeks.ts'
import { toLocal } from './date-zone.ts'
import type { Zone } from './date-zone.ts'
import { CommandError } from '../errors/command-error.ts'

const months = 'January February March April May June July August September October November December'.split(' ')

/** Writes a date in `$dateToString`'s format language; an unknown specifier is refused (18536). */
export function dateText(instant: Date, format: string, zone: Zone): string {
  const local = toLocal(instant, zone)
  const offset = zone(instant.getTime()) / 60_000
  return format.replace(/%(.?)/gsu, (_, specifier: string) => specified(specifier, local, offset))
}

function specified(specifier: string, local: Date, offset: number): string {
  switch (specifier) {
    case 'Y':
      return yearText(local.getUTCFullYear())
    case 'G':
      return yearText(isoWeek(local).year)
    case 'm':
      return padded(local.getUTCMonth() + 1)
    case 'b':
      return (months[local.getUTCMonth()] ?? '').slice(0, 3)
    case 'B':
      return months[local.getUTCMonth()] ?? ''
    case 'd':
      return padded(local.getUTCDate())
    case 'H':
      return padded(local.getUTCHours())
    case 'M':
      return padded(local.getUTCMinutes())
    case 'S':
      return padded(local.getUTCSeconds())
    case 'L':
      return padded(local.getUTCMilliseconds(), 3)
    case 'j':
      return padded(dayOfYear(local), 3)
    case 'w':
      return String(local.getUTCDay() + 1)
    case 'u':
      return String(local.getUTCDay() || 7)
    case 'U':
      return padded(week(local))
    case 'V':
      return padded(isoWeek(local).week)
    case 'z':
      return `${offset < 0 ? '-' : '+'}${padded(Math.floor(Math.abs(offset) / 60))}${padded(Math.abs(offset) % 60)}`
    case 'Z':
      return String(offset)
    case '%':
      return '%'
    case '':
      throw new CommandError('Location18535', "Unmatched '%' at end of format string")
    default:
      throw new CommandError('Location18536', `Invalid format character '%${specifier}' in format string`)
  }
}

function padded(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return padded(year, 4)
  throw new CommandError(
    'Location18537',
    `Could not convert date to string: date component was outside the supported range of 0-9999: ${year}`,
  )
}
