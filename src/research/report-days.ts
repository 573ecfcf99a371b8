import { AppError } from '../core/errors.ts'
import type { ReportWindow } from './schema.ts'

/** From an instant on, up to another one. */
export interface TimeSpan {
  start: Date
  end: Date
}

/** A run of whole days in a time zone, and the instants at which they begin and end. */
export interface ReportDays extends TimeSpan {
  /** First and last day, YYYY-MM-DD. */
  from: string
  to: string
  tz: string
  days: number
}

const dayMs = 24 * 60 * 60 * 1000
const quarterHourMs = 15 * 60 * 1000
const defaultDays = 30
const maxDays = 3660

/** The days that a report covers (contract, Reports): `from` and `to` win over `since`; without any, the last 30 days. */
export function resolveReportDays({ since, from, to, tz }: ReportWindow, now: Date): ReportDays {
  const dayIn = createCalendar(tz)
  const today = dayIn(now)
  const last = to ?? today
  const first = from ?? (to === undefined ? firstDayFrom(since, today) : addDays(to, 1 - defaultDays))
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days < 1) {
    throw new AppError('INVALID_INPUT', `The window is empty: it begins on ${first} and ends on ${last}, before that`)
  }
  if (days > maxDays) {
    throw new AppError('INVALID_INPUT', `The window has ${days} days; a report covers ${maxDays} at most`)
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

/** A day count looks back that many days, today among them; a date runs to today. */
function firstDayFrom(since: string | undefined, today: string): string {
  if (since === undefined) return addDays(today, 1 - defaultDays)
  return since.endsWith('d') ? addDays(today, 1 - Number.parseInt(since, 10)) : since
}

/** The days of a window in order, each with the instants at which it begins and ends; a day that a zone skips is empty. */
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

/** Tells the calendar day of an instant in a time zone, YYYY-MM-DD. Made once a report: it costs as much as hundreds of days. */
function createCalendar(tz: string): Calendar {
  // Swedish dates are written as ISO 8601 writes them.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (instant) => format.format(instant)
}

/**
 * The first instant of a day in a time zone, to the quarter of an hour: no zone has changed its clock at a finer one since
 * 1972. `before`: the start of the day before, after which this one mostly begins 24 hours later.
 */
function startOfDay(day: string, dayIn: Calendar, before?: Date): Date {
  const hasBegun = (quarter: number) => dayIn(new Date(quarter * quarterHourMs)) >= day
  const guess = before === undefined ? null : (before.getTime() + dayMs) / quarterHourMs
  if (guess !== null && hasBegun(guess) && !hasBegun(guess - 1)) return new Date(guess * quarterHourMs)
  // Zones lie between 12 hours behind UTC and 14 hours before it.
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
