import type { ValueReport } from './schema.ts'

const wordsPerMinute = 230
const wordsPerNovel = 90_000
const minutesPerDay = 480

interface Reading {
  pages: number
  words: number
  /** Books of which pages were read, and all that were opened. */
  booksRead: number
  booksOpened: number
  days: number
}

/** Reading in figures that people can picture. */
export function funStats(reading: Reading): ValueReport['funStats'] {
  const minutesOfReading = Math.round(reading.words / wordsPerMinute)
  const equivalents = [
    equivalent(reading.words / wordsPerNovel, ['novel', 'novels']),
    equivalent(minutesOfReading / minutesPerDay, ['working day of reading', 'working days of reading']),
  ]
  return {
    equivalents: equivalents.filter(({ value }) => value > 0),
    headline: headline(reading, minutesOfReading),
    minutesOfReading,
  }
}

/** A value to one decimal; its label follows it: `1 novel`, `2.5 novels`. */
function equivalent(exact: number, names: Names): { label: string; value: number } {
  const value = Math.round(exact * 10) / 10
  return { label: nameFor(value, names), value }
}

function headline({ pages, booksRead, booksOpened, days }: Reading, minutes: number): string {
  const when = days === 1 ? 'on this day' : `in these ${grouped(days)} days`
  if (booksOpened === 0) return `No book was opened ${when}.`
  if (pages === 0) {
    const [outline, was] = booksOpened === 1 ? ['outline', 'was'] : ['outlines', 'were']
    return `Only the ${outline} of ${counted(booksOpened, book)} ${was} opened ${when}.`
  }
  const verb = pages === 1 ? 'was' : 'were'
  return `${counted(pages, page)} of ${counted(booksRead, book)} ${verb} read ${when}: ${duration(minutes)} for a person.`
}

function duration(minutes: number): string {
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return `about ${counted(minutes, ['minute', 'minutes'])}`
  return `about ${counted(Math.round(minutes / 60), ['hour', 'hours'])}`
}

type Names = readonly [one: string, many: string]

const page: Names = ['page', 'pages']
const book: Names = ['book', 'books']

function counted(count: number, names: Names): string {
  return `${grouped(count)} ${nameFor(count, names)}`
}

function nameFor(count: number, [one, many]: Names): string {
  return count === 1 ? one : many
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}
