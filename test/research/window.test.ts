import { describe, expect, test } from 'vitest'
import { listDays, resolveReportDays } from '../../src/research/report-days.ts'

const query = { tz: 'UTC', sessionsLimit: 25, sessionsOffset: 0 }
const now = new Date('2026-11-20T10:00:00.000Z')

describe('the window of a report', () => {
  test.for([
    ['nothing', {}, '2026-10-22', '2026-11-20', 30],
    ['1d', { since: '1d' }, '2026-11-20', '2026-11-20', 1],
    ['7d', { since: '7d' }, '2026-11-14', '2026-11-20', 7],
    ['366d', { since: '366d' }, '2025-11-20', '2026-11-20', 366],
    ['a date', { since: '2026-11-01' }, '2026-11-01', '2026-11-20', 20],
    ['today', { since: '2026-11-20' }, '2026-11-20', '2026-11-20', 1],
    ['from', { from: '2026-11-18' }, '2026-11-18', '2026-11-20', 3],
    ['from and since', { from: '2026-11-18', since: '7d' }, '2026-11-18', '2026-11-20', 3],
    ['to', { to: '2026-03-01' }, '2026-01-31', '2026-03-01', 30],
    ['to and since', { to: '2026-03-01', since: '7d' }, '2026-01-31', '2026-03-01', 30],
    ['from and to', { from: '2024-02-28', to: '2024-03-01', since: '7d' }, '2024-02-28', '2024-03-01', 3],
    ['future days', { from: '2027-01-01', to: '2027-01-02' }, '2027-01-01', '2027-01-02', 2],
    ['a turn of the year', { from: '2025-12-31', to: '2026-01-01' }, '2025-12-31', '2026-01-01', 2],
    ['ten years', { from: '2016-11-14' }, '2016-11-14', '2026-11-20', 3659],
    ['the first possible day', { from: '1970-01-01', to: '1970-01-01' }, '1970-01-01', '1970-01-01', 1],
    ['the last possible day', { from: '9999-12-30', to: '9999-12-30' }, '9999-12-30', '9999-12-30', 1],
  ] as const)('asked with %s', ([, given, from, to, days]) => {
    const window = resolveReportDays({ ...query, ...given }, now)
    expect(window).toMatchObject({ from, to, tz: 'UTC', days })
    expect(window.start.toISOString()).toBe(`${from}T00:00:00.000Z`)
    expect(window.end.getTime()).toBe(Date.parse(to) + 24 * 60 * 60 * 1000)
  })

  test.for([
    [
      'that ends before it begins',
      { from: '2026-03-02', to: '2026-03-01' },
      /starts on 2026-03-02, after its end on 2026-03-01/,
    ],
    ['that begins after today', { since: '2026-11-21' }, /starts on 2026-11-21, after its end on 2026-11-20/],
    ['of more than ten years', { from: '2016-01-01' }, /3977 days; a report covers at most 3660/],
  ] as const)('is refused %s', ([, given, says]) => {
    expect(() => resolveReportDays({ ...query, ...given }, now)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(says) }),
    )
  })

  test.for([
    ['Pacific/Kiritimati', '2026-11-20T09:59:59.999Z', '2026-11-20'],
    ['Pacific/Kiritimati', '2026-11-20T10:00:00.000Z', '2026-11-21'],
    ['Etc/GMT+12', '2026-11-20T11:59:59.999Z', '2026-11-19'],
    ['Etc/GMT+12', '2026-11-20T12:00:00.000Z', '2026-11-20'],
    ['Asia/Kathmandu', '2026-11-20T18:14:59.999Z', '2026-11-20'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00.000Z', '2026-11-21'],
  ] as const)('ends today, which in %s at %s is %s', ([tz, instant, today]) => {
    expect(resolveReportDays({ ...query, tz, since: '1d' }, new Date(instant))).toMatchObject({
      from: today,
      to: today,
    })
  })
})

describe('a day', () => {
  test.for([
    ['UTC', '2026-06-01', '2026-06-01T00:00Z', '2026-06-02T00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
    // The clock changes from 00:00 to 01:00: the day starts at 01:00.
    ['America/Havana', '2026-03-08', '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
    // The clock changes from 00:00 back to 23:00: the previous day has 25 hours.
    ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00Z', '2026-10-24T22:00Z'],
    // Half an hour of daylight saving time, and offsets of half and quarter hours.
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', '2026-04-05T13:30Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15Z', '2026-01-01T18:15Z'],
    ['Australia/Eucla', '2026-01-01', '2025-12-31T15:15Z', '2026-01-01T15:15Z'],
    ['Pacific/Chatham', '2026-09-27', '2026-09-26T11:15Z', '2026-09-27T10:15Z'],
    ['America/St_Johns', '2026-11-01', '2026-11-01T02:30Z', '2026-11-02T03:30Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00Z', '2026-01-01T10:00Z'],
    ['Etc/GMT+12', '2026-01-01', '2026-01-01T12:00Z', '2026-01-02T12:00Z'],
    // Samoa crossed the date line: there was no 30 December.
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z', '2011-12-30T10:00Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
  ] as const)('in %s, %s, is from %s to %s', ([tz, day, start, end]) => {
    const window = resolveReportDays({ ...query, tz, from: day, to: day }, now)
    expect([window.start, window.end]).toEqual([new Date(start), new Date(end)])
    expect(listDays(window)).toEqual([{ date: day, start: window.start, end: window.end }])
  })
})

/** The calendar day of an instant, computed independently of the code under test. */
function oracle(tz: string): (instant: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (instant) => format.format(instant).replace(/^(\d+)\/(\d+)\/(\d+)$/, '$3-$1-$2')
}

test('in every time zone the days of a window are contiguous, and the date changes at their boundaries', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  expect(zones.length).toBeGreaterThan(400)
  const wrong: string[] = []
  for (const tz of zones) {
    const dateOf = oracle(tz)
    const window = resolveReportDays({ ...query, tz, from: '2026-03-01', to: '2027-02-28' }, now)
    const days = listDays(window)
    expect([days[0]?.start, days.at(-1)?.end]).toEqual([window.start, window.end])
    for (const [index, { date, start, end }] of days.entries()) {
      const follows = index === 0 || start.getTime() === days[index - 1]?.end.getTime()
      const changes = dateOf(start) === date && dateOf(new Date(end.getTime() - 1)) === date
      if (!follows || !changes || dateOf(new Date(start.getTime() - 1)) >= date) wrong.push(`${tz} ${date}`)
    }
  }
  expect(wrong).toEqual([])
})

test.for([
  'Africa/Casablanca',
  'America/Havana',
  'America/Scoresbysund',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Apia',
])('in %s every quarter of an hour belongs to its local day', (tz) => {
  const dateOf = oracle(tz)
  const days = listDays(resolveReportDays({ ...query, tz, from: '2011-12-20', to: '2012-04-30' }, now))
  const first = days[0]?.start.getTime() ?? 0
  const last = days.at(-1)?.end.getTime() ?? 0
  let index = 0
  for (let at = first; at < last; at += 15 * 60 * 1000) {
    while (at >= (days[index]?.end.getTime() ?? Infinity)) index++
    if (days[index]?.date !== dateOf(new Date(at))) expect.fail(`${new Date(at).toISOString()}: ${days[index]?.date}`)
  }
})
