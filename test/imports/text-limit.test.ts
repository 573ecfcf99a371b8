import { expect, test } from 'vitest'
import { maxTextBytes } from '../../src/imports/text-limit.ts'

const mb = 1024 * 1024

test.for([
  ['at least 20 MB', 100, { textMb: 25 }, 20 * mb],
  ['50 times the size of the file', mb, { textMb: 100 }, 50 * mb],
  ['at most that of the plan', 10 * mb, { textMb: 100 }, 100 * mb],
  ['that of a small plan, even below 20 MB', 100, { textMb: 5 }, 5 * mb],
  ['by the size alone for a built-in book', 10 * mb, null, 500 * mb],
] as const)('the limit of the text of a file is %s', ([, fileBytes, plan, limit]) => {
  expect(maxTextBytes(fileBytes, plan)).toBe(limit)
})
