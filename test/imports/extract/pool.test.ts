import { expect, test } from 'vitest'
import type { Script } from '../../support/scripted-format.ts'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'

const book: Script = { steps: [{ do: 'pages', count: 2 }] }

test('reading processes are not there before they are needed', async () => {
  const { extractor } = await scriptedExtractor()
  expect(extractor.pids()).toEqual([])
})

test('reading processes are used again for the next book', async () => {
  const { extractor, read } = await scriptedExtractor()
  await read(book)
  const first = extractor.pids()
  await read(book)
  await read(book)
  expect(first).toHaveLength(1)
  expect(extractor.pids()).toEqual(first)
})

test('reading processes started ahead are used by the next book, and only one at a time is', async () => {
  const { extractor, read } = await scriptedExtractor()
  extractor.warmUp()
  extractor.warmUp()
  const spare = extractor.pids()
  expect(spare).toHaveLength(1)
  await read(book)
  expect(extractor.pids()).toEqual(spare)
})

test('reading processes get a spare beside them once a book has its first page', async () => {
  const { extractor, read } = await scriptedExtractor({ spare: true })
  await read(book)
  const both = extractor.pids()
  expect(both).toHaveLength(2)
  await read(book)
  expect(extractor.pids()).toEqual(both)
})

test('reading processes make room for a new one after their number of books', async () => {
  const { extractor, read } = await scriptedExtractor({ maxBooksPerProcess: 2 })
  await read(book)
  const [first] = extractor.pids()
  await read(book)
  await expect.poll(() => extractor.pids()).toEqual([])
  await read(book)
  expect(extractor.pids()).not.toContain(first)
})

test('reading processes make room for a new one when a book leaves them too large', async () => {
  const { extractor, read } = await scriptedExtractor({ recycleAboveBytes: 1_000_000 })
  await read(book)
  await expect.poll(() => extractor.pids()).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

test('reading processes are used again after a file that was refused', async () => {
  const { extractor, read } = await scriptedExtractor()
  expect(await extractionOutcome(read({ steps: [{ do: 'refuse', code: 'BROKEN' }] }))).toBe('BROKEN')
  const pids = extractor.pids()
  await read(book)
  expect(pids).toHaveLength(1)
  expect(extractor.pids()).toEqual(pids)
})

test.for([
  ['of which the reader threw', { do: 'throw' }],
  ['with a page that is too long', { do: 'raw frame', json: pageOf('x'.repeat(1_000_001)) }],
] as const)('reading processes are not used again after a file %s', async ([, step]) => {
  const { extractor, read } = await scriptedExtractor()
  expect(await extractionOutcome(read({ steps: [step] }))).not.toBe('ok')
  await expect.poll(() => extractor.pids()).toEqual([])
})

test('reading processes go away when there is nothing to read', async () => {
  const { extractor, read } = await scriptedExtractor({ idleTimeoutMs: 100, spare: true })
  await read(book)
  await expect.poll(() => extractor.pids(), { timeout: 5_000 }).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

test('reading processes that die while they are free are not handed out', async () => {
  const { extractor, read } = await scriptedExtractor()
  await read(book)
  for (const pid of extractor.pids()) process.kill(pid, 'SIGKILL')
  await expect.poll(() => extractor.pids()).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

function pageOf(content: string): string {
  return JSON.stringify({ type: 'pages', rss: 0, pages: [{ content, label: null, picture: false, garbled: 0 }] })
}
