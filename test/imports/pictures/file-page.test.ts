import { expect, test } from 'vitest'
import type { PageRun } from '../../../src/reading/manifest.ts'
import { filePageOf } from '../../../src/imports/pictures/file-page.ts'

const ofFile = (start: number, count: number, job = 'job1'): PageRun => ({ revision: `${job}-1`, start, count })
const written = (count = 1): PageRun => ({ revision: '0mwrwayu7f75w0wzrwv3b75lfs', start: 0, count })

/** The pages of the file from which the pages of a version come. A tilde marks pages whose text was changed. */
function pagesOf(...runs: PageRun[]): string {
  const pageCount = runs.reduce((sum, { count }) => sum + count, 0)
  const pages = Array.from({ length: pageCount }, (_, index) => filePageOf({ runs }, index + 1))
  return pages.map((found) => (found ? `${found.exact ? '' : '~'}${found.page}` : '-')).join(' ')
}

test('the pages of an import are those of the file', () => {
  expect(pagesOf(ofFile(0, 4))).toBe('1 2 3 4')
})

test('after pages were removed, the others keep their file pages', () => {
  expect(pagesOf(ofFile(2, 2))).toBe('3 4')
  expect(pagesOf(ofFile(0, 1), ofFile(3, 2))).toBe('1 4 5')
})

test('a rewritten page corresponds to the page that it replaced', () => {
  expect(pagesOf(ofFile(0, 2), written(), ofFile(3, 1))).toBe('1 2 ~3 4')
  expect(pagesOf(written(2), ofFile(2, 2))).toBe('~1 ~2 3 4')
  expect(pagesOf(ofFile(0, 1), written(), written(), ofFile(3, 1))).toBe('1 ~2 ~3 4')
})

test('rewritten pages in another number correspond to no page of the file', () => {
  expect(pagesOf(ofFile(0, 2), written(2), ofFile(3, 1))).toBe('1 2 - - 4')
  expect(pagesOf(ofFile(0, 2), written())).toBe('1 2 -')
  expect(pagesOf(ofFile(0, 1), written(), ofFile(2, 1, 'job2'))).toBe('1 - 3')
})

test('a written book has no pages of a file', () => {
  expect(pagesOf({ revision: 'create', start: 0, count: 2 }, written())).toBe('- - -')
  expect(filePageOf({ runs: [ofFile(0, 2)] }, 3)).toBeNull()
})
