import type { ValueReport } from './schema.ts'

const wordsPerMinute = 230
const wordsPerNovel = 90_000
const minutesPerDay = 480

interface ReadingTotals {
  pages: number
  words: number
  /** `booksRead`: books with read pages; `booksOpened`: also those of which only the outline was read. */
  booksRead: number
  booksOpened: number
  days: number
}

/** Converts reading totals to quantities that people can picture: novels, working days, minutes. */
export function funStats(reading: ReadingTotals): ValueReport['funStats'] {
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

/** A value rounded to one decimal with its label: `1 novel`, `2.5 novels`. */
function equivalent(amount: number, names: NounForms): { label: string; value: number } {
  const value = Math.round(amount * 10) / 10
  return { label: pluralize(value, names), value }
}

function headline({ pages, booksRead, booksOpened, days }: ReadingTotals, minutes: number): string {
  const when = days === 1 ? 'on this day' : `in these ${formatNumber(days)} days`
  if (booksOpened === 0) return `No book was opened ${when}.`
  if (pages === 0) {
    const [outline, was] = booksOpened === 1 ? ['outline', 'was'] : ['outlines', 'were']
    return `Only the ${outline} of ${formatCount(booksOpened, book)} ${was} opened ${when}.`
  }
  const verb = pages === 1 ? 'was' : 'were'
  return `${formatCount(pages, page)} of ${formatCount(booksRead, book)} ${verb} read ${when}: ${formatDuration(minutes)} for a person.`
}

function formatDuration(minutes: number): string {
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return `about ${formatCount(minutes, ['minute', 'minutes'])}`
  return `about ${formatCount(Math.round(minutes / 60), ['hour', 'hours'])}`
}

type NounForms = readonly [one: string, many: string]

const page: NounForms = ['page', 'pages']
const book: NounForms = ['book', 'books']

function formatCount(count: number, names: NounForms): string {
  return `${formatNumber(count)} ${pluralize(count, names)}`
}

function pluralize(count: number, [one, many]: NounForms): string {
  return count === 1 ? one : many
}

function formatNumber(count: number): string {
  return count.toLocaleString('en')
}
