import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Script } from '../../support/scripted-format.ts'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'

const book: Script = { steps: [{ do: 'pages', count: 2 }] }

test('reading processes are started only when needed', async () => {
  const { extractor } = await scriptedExtractor()
  expect(extractor.pids()).toEqual([])
})

test('a reading process is reused for the next book', async () => {
  const { extractor, read } = await scriptedExtractor()
  await read(book)
  const first = extractor.pids()
  await read(book)
  await read(book)
  expect(first).toHaveLength(1)
  expect(extractor.pids()).toEqual(first)
})

test('a reading process that was started in advance is used by the next book, and only one is kept', async () => {
  const { extractor, read } = await scriptedExtractor()
  extractor.warmUp('markdown')
  extractor.warmUp('markdown')
  const spare = extractor.pids()
  expect(spare).toHaveLength(1)
  await read(book)
  expect(extractor.pids()).toEqual(spare)
})

test('a spare reading process is started once a book has its first page', async () => {
  const { extractor, read } = await scriptedExtractor({ spare: true })
  await read(book)
  const both = extractor.pids()
  expect(both).toHaveLength(2)
  await read(book)
  expect(extractor.pids()).toEqual(both)
})

test('a reading process that was killed is not used for the next book', async () => {
  const { read } = await scriptedExtractor()
  await read(book)
  const outcomes = [extractionOutcome(read(book, { path: '/nowhere/missing.md' })), read(book)]
  expect(await Promise.all(outcomes)).toMatchObject(['CRASHED', { pageCount: 2 }])
  expect(await extractionOutcome(read(book, { path: '/nowhere/missing.md' }))).toBe('CRASHED')
  expect(await extractionOutcome(read(book))).toBe('ok')
})

test('at most two reading processes that have served an account are kept', async () => {
  const { extractor, read } = await scriptedExtractor()
  for (const accountId of ['a', 'b', 'c', 'd']) await read(book, { accountId })
  await expect.poll(() => extractor.pids()).toHaveLength(2)
})

test('a reading process is replaced after its maximum number of books', async () => {
  const { extractor, read } = await scriptedExtractor({ maxBooksPerProcess: 2 })
  await read(book)
  const [first] = extractor.pids()
  await read(book)
  await expect.poll(() => extractor.pids()).toEqual([])
  await read(book)
  expect(extractor.pids()).not.toContain(first)
})

test('a reading process is replaced when a book leaves it too large', async () => {
  const { extractor, read } = await scriptedExtractor({ recycleAboveBytes: 1_000_000 })
  await read(book)
  await expect.poll(() => extractor.pids()).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

test('a reading process is reused after a rejected file', async () => {
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

test('idle reading processes are ended', async () => {
  const { extractor, read } = await scriptedExtractor({ idleTimeoutMs: 100, spare: true })
  await read(book)
  await expect.poll(() => extractor.pids(), { timeout: 5_000 }).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

test('reading processes that die while idle are not used', async () => {
  const { extractor, read } = await scriptedExtractor()
  await read(book)
  for (const pid of extractor.pids()) process.kill(pid, 'SIGKILL')
  await expect.poll(() => extractor.pids()).toEqual([])
  expect(await extractionOutcome(read(book))).toBe('ok')
})

function pageOf(content: string): string {
  return JSON.stringify({ type: 'pages', rss: 0, pages: [{ content, label: null, picture: false, garbled: 0 }] })
}

test('a spare process is started only for an account without an idle reading process', async () => {
  const { extractor, read } = await scriptedExtractor()
  await read(book, { accountId: 'a' })
  const own = extractor.pids()
  extractor.warmUp('markdown', 'a')
  expect(extractor.pids()).toEqual(own)
  extractor.warmUp('markdown', 'b')
  expect(extractor.pids()).toHaveLength(2)
})

test('a reading process that was started in advance is kept as long as files are arriving', async () => {
  const { extractor } = await scriptedExtractor({ idleTimeoutMs: 600 })
  extractor.warmUp('markdown')
  const spare = extractor.pids()
  for (let n = 0; n < 5; n += 1) {
    await delay(300)
    extractor.warmUp('markdown')
    expect(extractor.pids()).toEqual(spare)
  }
  await expect.poll(() => extractor.pids(), { timeout: 5_000 }).toEqual([])
})
