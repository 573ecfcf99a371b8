import { expect, test } from 'vitest'
import { funStats } from '../../src/research/fun-stats.ts'

const none = { pages: 0, words: 0, booksRead: 0, booksOpened: 0, days: 30 }

test.for([
  [none, 'No book was opened in these 30 days.'],
  [{ ...none, days: 1 }, 'No book was opened on this day.'],
  [{ ...none, booksOpened: 1 }, 'Only the outline of 1 book was opened in these 30 days.'],
  [{ ...none, booksOpened: 3 }, 'Only the outlines of 3 books were opened in these 30 days.'],
  [
    { ...none, pages: 1, words: 40, booksRead: 1, booksOpened: 2, days: 1 },
    '1 page of 1 book was read on this day: less than a minute for a person.',
  ],
  [
    { ...none, pages: 2, words: 230, booksRead: 1, booksOpened: 1 },
    '2 pages of 1 book were read in these 30 days: about 1 minute for a person.',
  ],
  [
    { ...none, pages: 12_345, words: 4_000_000, booksRead: 1204, booksOpened: 1300, days: 366 },
    '12,345 pages of 1,204 books were read in these 366 days: about 290 hours for a person.',
  ],
] as const)('%o reads well', ([reading, sentence]) => {
  expect(funStats(reading).headline).toBe(sentence)
})

test.for([
  [0, 0, []],
  [229, 1, []],
  [
    90_000,
    391,
    [
      { label: 'novel', value: 1 },
      { label: 'working days of reading', value: 0.8 },
    ],
  ],
  [
    110_400,
    480,
    [
      { label: 'novels', value: 1.2 },
      { label: 'working day of reading', value: 1 },
    ],
  ],
] as const)('%i words are %i minutes', ([words, minutes, equivalents]) => {
  const stats = funStats({ ...none, pages: 1, words, booksRead: 1, booksOpened: 1 })
  expect(stats).toMatchObject({ minutesOfReading: minutes, equivalents })
})
