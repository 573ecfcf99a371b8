import { AppError } from '../core/errors.ts'
import type { ReportWindow } from './schema.ts'

/** From an instant (inclusive) to another one (exclusive). */
export interface TimeSpan {
  start: Date
  end: Date
}

/** A run of whole days in a time zone, with the instants at which it starts and ends. */
export interface ReportDays extends TimeSpan {
  /** First and last day, YYYY-MM-DD. */
  from: string
  to: string
  tz: string
  days: number
}

const dayMs = 24 * 60 * 60 * 1000
/** The resolution of the counters, ms: since 1972 every time zone has changed its clock at a quarter-hour. */
export const quarterHourMs = 15 * 60 * 1000
const defaultDays = 30
const maxDays = 3660

/**
 * The days that a report covers (contract, Reports): `from` and `to` override `since`; default: the last 30 days.
 * Throws INVALID_INPUT for an empty window and for more than 3,660 days.
 */
export function resolveReportDays({ since, from, to, tz }: ReportWindow, now: Date): ReportDays {
  const dayIn = createCalendar(tz)
  const today = dayIn(now)
  const last = to ?? today
  const first = from ?? (to === undefined ? firstDayFrom(since, today) : addDays(to, 1 - defaultDays))
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days < 1) {
    throw new AppError('INVALID_INPUT', `The window is empty: it starts on ${first}, after its end on ${last}`)
  }
  if (days > maxDays) {
    throw new AppError('INVALID_INPUT', `The window has ${days} days; a report covers at most ${maxDays}`)
  }
  return {
    from: first,
    to: last,
    tz,
    days,
    start: startOfDay(first, dayIn),
    end: startOfDay(addDays(last, 1), dayIn),
  }
}

/** The first day for `since`: a day count ends today and includes it; a date is the first day. */
function firstDayFrom(since: string | undefined, today: string): string {
  if (since === undefined) return addDays(today, 1 - defaultDays)
  return since.endsWith('d') ? addDays(today, 1 - Number.parseInt(since, 10)) : since
}

/**
 * The days of a window in order, with the instants at which each starts and ends; a day that a time zone skips is
 * empty.
 */
export function listDays({ from, tz, days, start }: ReportDays): ({ date: string } & TimeSpan)[] {
  const dayIn = createCalendar(tz)
  let nextStart = start
  return Array.from({ length: days }, (_, index) => {
    const day = {
      date: addDays(from, index),
      start: nextStart,
      end: startOfDay(addDays(from, index + 1), dayIn, nextStart),
    }
    nextStart = day.end
    return day
  })
}

type Calendar = (instant: Date) => string

/**
 * Returns a function from an instant to its calendar day in a time zone (YYYY-MM-DD). Create it once per report: it
 * costs as much as formatting hundreds of days.
 */
function createCalendar(tz: string): Calendar {
  // The Swedish date format is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (instant) => format.format(instant)
}

/**
 * The first instant of a day in a time zone, to the quarter-hour: since 1972 every time zone has changed its clock at a
 * quarter-hour. `before` is the start of the previous day; usually this day starts 24 hours later, which avoids the
 * search.
 */
function startOfDay(day: string, dayIn: Calendar, before?: Date): Date {
  const hasBegun = (quarter: number) => dayIn(new Date(quarter * quarterHourMs)) >= day
  const guess = before === undefined ? null : (before.getTime() + dayMs) / quarterHourMs
  if (guess !== null && hasBegun(guess) && !hasBegun(guess - 1)) return new Date(guess * quarterHourMs)
  // Offsets from UTC lie between -12 and +14 hours.
  let low = Date.parse(day) / quarterHourMs - 4 * 15
  let high = Date.parse(day) / quarterHourMs + 4 * 13
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (hasBegun(middle)) high = middle
    else low = middle + 1
  }
  return new Date(low * quarterHourMs)
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10)
}
