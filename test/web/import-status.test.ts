import { expect, test } from 'vitest'
import { describeImport } from '../../src/web/components/import-status.ts'

test.for([
  [1, '1 page read, saving the book'],
  [1200, '1,200 pages read, saving the book'],
] as const)('an import that has read all of its %s pages says so', ([total, label]) => {
  const state = { status: 'RUNNING', stage: 'reading', pages: { done: total, total }, ahead: null, errorCode: null }
  expect(describeImport(state as never)).toEqual({ label, value: total, max: total })
})
