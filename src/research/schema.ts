import { z } from 'zod'
import { Count, Timestamp } from '../core/field-types.ts'
import { nameSchema, noteSchema } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'

const maxIntentLength = 500
const intentTooLong = `intent must be ${maxIntentLength} characters or less`

export const StartAccessSession = z.strictObject({
  intent: z
    .string()
    .refine((intent) => hasAtMost(intent, maxIntentLength), intentTooLong)
    .meta({ maxLength: maxIntentLength })
    .nullish()
    .describe('The topic in a few words; nothing personal or secret.'),
})
export type StartAccessSession = z.infer<typeof StartAccessSession>

export const StartedAccessSession = z.object({ sessionId: z.string(), createdAt: Timestamp })
export type StartedAccessSession = z.infer<typeof StartedAccessSession>
nameSchema(StartedAccessSession, 'Session', 'A research session, in which reads are recorded.')

const sessionIdRequired = 'sessionId is required'

export const CompleteAccessSession = z.strictObject({
  sessionId: z.string({ error: sessionIdRequired }).min(1, sessionIdRequired),
})
export type CompleteAccessSession = z.infer<typeof CompleteAccessSession>

export const CompletedAccessSession = z.object({ sessionId: z.string(), status: z.literal('completed') })
export type CompletedAccessSession = z.infer<typeof CompletedAccessSession>

/** The pattern for these days, in addition to the format. */
const dayPattern = '^(?:19[7-9][0-9]|[2-9][0-9]{3})-'
const firstDay = '1970-01-01'
const lastDay = '9999-12-30'
const isDay = (text: string) => z.iso.date().safeParse(text).success && text >= firstDay && text <= lastDay
const Day = noteSchema(z.string().refine(isDay, 'Expected YYYY-MM-DD').meta({ format: 'date' }), {
  pattern: dayPattern,
}).optional()

/** True for a day count from 1 to 366, such as `30d`. */
function isDayCount(text: string): boolean {
  const days = Number(/^(\d{1,3})d$/.exec(text)?.[1])
  return days >= 1 && days <= 366
}

/** True for a name in the IANA time zone database; UTC offsets such as `+02:00` are rejected. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || name.length > 64) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** An integer from 0 to `max`, transmitted as text in a query string. */
function integerParam(name: string, { max, fallback }: { max: number; fallback: number }) {
  const error = `${name} must be an integer from 0 to ${max}`
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
      z.int({ error }).min(0, error).max(max, error),
    )
    .default(fallback)
}

export const ReportWindow = z.strictObject({
  since: noteSchema(z.string(), {
    anyOf: [
      { pattern: '^(?:[1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])d$' },
      { format: 'date', pattern: dayPattern },
    ],
  })
    .refine((text) => isDayCount(text) || isDay(text), "Expected '<n>d' or YYYY-MM-DD")
    .optional()
    .describe('A number of days such as 30d (1 to 366), or the first day.'),
  from: Day.describe('First day; takes precedence over since.'),
  to: Day.describe('Last day; takes precedence over since.'),
  tz: noteSchema(z.string(), { format: 'iana-time-zone', maxLength: 64, pattern: '^[A-Za-z]' })
    .refine(isTimeZone, 'Invalid IANA timezone')
    .default('UTC')
    .describe('IANA time zone in which days begin and end.'),
  sessionsLimit: integerParam('sessionsLimit', { max: 100, fallback: 25 }).describe(
    'Number of sessions to list. Default: 25.',
  ),
  sessionsOffset: integerParam('sessionsOffset', { max: 5000, fallback: 0 }).describe(
    'Number of sessions to skip. Default: 0.',
  ),
})
export type ReportWindow = z.infer<typeof ReportWindow>

const ReportSession = z.object({
  id: z.string(),
  startedAt: Timestamp,
  intent: z.string().nullable(),
  channel: z.string(),
  client: z.string().nullable(),
  outcome: z.enum(['content-read', 'toc-only', 'no-read']),
  bookCount: Count,
  pagesRead: Count,
  books: z.array(
    z.object({ itemId: z.string(), title: z.string(), depth: z.enum(['content', 'toc']), pagesRead: Count }),
  ),
})
export type ReportSession = z.infer<typeof ReportSession>
nameSchema(ReportSession, 'ReportSession', 'A research session with the books that were read in it.')

export const SessionPage = z.object({
  sessions: z.array(ReportSession),
  limit: Count,
  offset: Count,
  total: Count,
  hasMore: z.boolean(),
})
export type SessionPage = z.infer<typeof SessionPage>
nameSchema(SessionPage, 'SessionPage', 'A part of the list of sessions.')

export const ValueReport = z.object({
  window: z.object({ from: z.string(), to: z.string(), tz: z.string(), days: Count }),
  totals: z.object({
    sessions: Count,
    booksRead: Count,
    pagesRead: Count,
    contentReads: Count,
    tocReads: Count,
    untrackedReads: Count,
  }),
  outcomes: z.object({ contentRead: Count, tocOnly: Count, noRead: Count, hitRate: z.number().nullable() }),
  sessions: SessionPage,
  topSources: z.array(
    z.object({ itemId: z.string(), title: z.string(), reads: Count, pagesRead: Count, sessions: Count }),
  ),
  daily: z.array(
    z.object({ date: z.string(), sessions: Count, pagesRead: Count, contentReads: Count, tocReads: Count }),
  ),
  funStats: z.object({
    equivalents: z.array(z.object({ label: z.string(), value: z.number() })),
    headline: z.string(),
    minutesOfReading: Count,
  }),
  deepestSession: ReportSession.nullable(),
  percentile: z.object({ value: z.int(), basis: z.literal('pagesRead') }).nullable(),
  busiestChannel: z.object({ channel: z.string(), sessions: Count }).nullable(),
  wiki: z.object({ manuscripts: Count, updates: Count, pagesWritten: Count }),
  requestedBooks: z.array(
    z.object({ title: z.string(), author: z.string().nullable(), reason: z.string(), createdAt: Timestamp }),
  ),
  generatedAt: Timestamp,
})
export type ValueReport = z.infer<typeof ValueReport>
nameSchema(ValueReport, 'ValueReport', 'What reading came to in a window of days.')
