import { describe, expect, test } from 'vitest'
import { extractionMessages } from '../../../src/imports/extract/extraction-error.ts'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'

const info = JSON.stringify({
  type: 'info',
  info: { title: null, author: null, language: null, publisher: null, isbn: null, description: null },
  pageCount: null,
})
const page = { content: 'text', label: null, picture: false, garbled: 0 }

const misbehaviours = [
  ['loops forever', { do: 'spin' }, 'TIMED_OUT'],
  ['waits forever', { do: 'wait for ever' }, 'TIMED_OUT'],
  ['fills memory outside the heap', { do: 'grow off heap', bytes: 400_000_000 }, 'OUT_OF_MEMORY'],
  ['fills the heap', { do: 'grow on heap' }, 'OUT_OF_MEMORY'],
  ['is killed by the system', { do: 'kill' }, 'OUT_OF_MEMORY'],
  ['aborts', { do: 'abort' }, 'CRASHED'],
  ['exits with 0 before the end', { do: 'exit', code: 0 }, 'CRASHED'],
  ['exits with 1', { do: 'exit', code: 1 }, 'CRASHED'],
  ['throws', { do: 'throw' }, 'CRASHED'],
  ['leaves a rejection unhandled', { do: 'reject later' }, 'CRASHED'],
  ['reports a password', { do: 'refuse', code: 'ENCRYPTED' }, 'ENCRYPTED'],
  ['reports copy protection', { do: 'refuse', code: 'DRM' }, 'DRM'],
  ['reports damage', { do: 'refuse', code: 'BROKEN' }, 'BROKEN'],
  ['reports the size', { do: 'refuse', code: 'TOO_LARGE' }, 'TOO_LARGE'],
  ['reports an empty file', { do: 'refuse', code: 'EMPTY' }, 'EMPTY'],
  [
    'produces a page of over a million characters',
    { do: 'pages', count: 1, content: 'x'.repeat(1_000_001) },
    'TOO_LARGE',
  ],
  ['sends a frame that is not JSON', { do: 'raw bytes', hex: '000000027b7b' }, 'CRASHED'],
  ['sends a frame with a huge declared length', { do: 'raw bytes', hex: 'ffffffff' }, 'CRASHED'],
  ['sends half a frame and stops', { do: 'raw bytes', hex: '0000ffff7b' }, 'TIMED_OUT'],
  ['sends an unknown message', { do: 'raw frame', json: '{"type":"shutdown"}' }, 'CRASHED'],
  ['sends null', { do: 'raw frame', json: 'null' }, 'CRASHED'],
  ['sends a wrong type', { do: 'raw frame', json: '{"type":"pages","rss":0,"pages":[{"content":5}]}' }, 'CRASHED'],
  ['sends info twice', { do: 'raw frame', json: info }, 'CRASHED'],
  [
    'smuggles a page of over a million characters',
    {
      do: 'raw frame',
      json: JSON.stringify({ type: 'pages', rss: 0, pages: [{ ...page, content: 'x'.repeat(1_000_001) }] }),
    },
    'TOO_LARGE',
  ],
] as const

describe('a reading process that', () => {
  test.for(misbehaviours)('%s ends the extraction with its code, and the next book is read', async ([, step, code]) => {
    const silenceMs = code === 'TIMED_OUT' ? 2_500 : 20_000
    const { read } = await scriptedExtractor({
      maxMemoryBytes: 250_000_000,
      silenceTimeoutMs: silenceMs,
      sampleIntervalMs: 25,
    })
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 3 }, step] }))).toBe(code)
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 3 }] }))).toBe('ok')
  })

  test('sends pages slowly and exceeds the total time is stopped', async () => {
    const { read } = await scriptedExtractor({ silenceTimeoutMs: 10_000, totalTimeoutMs: 600, sampleIntervalMs: 20 })
    expect(await extractionOutcome(read({ steps: [{ do: 'slow pages', count: 1_000, ms: 50 }] }))).toBe('TIMED_OUT')
  })

  test('sends pages slowly without exceeding a limit is not stopped', async () => {
    const { read } = await scriptedExtractor({ silenceTimeoutMs: 1_500, sampleIntervalMs: 20 })
    const book = await read({ steps: [{ do: 'slow pages', count: 7, ms: 300 }] })
    expect(book.pageCount).toBe(7)
  })

  test('sends more pages than a book may have is refused', async () => {
    const limits = { entryBytes: 1e6, totalBytes: 1e6, entries: 10, pages: 40 }
    const { read } = await scriptedExtractor({ limits })
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 40 }] }))).toBe('ok')
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 41 }] }))).toBe('TOO_LARGE')
    expect(await extractionOutcome(read({ pageCount: 41, steps: [] }))).toBe('TOO_LARGE')
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 11, content: 'x'.repeat(100_000) }] }))).toBe(
      'TOO_LARGE',
    )
  })

  test('is given an unknown path fails with CRASHED', async () => {
    const { read } = await scriptedExtractor()
    expect(await extractionOutcome(read({}, { path: '/nowhere/book.pdf' }))).toBe('CRASHED')
  })

  test('runs hostile code cannot write files, start processes or see the environment', async () => {
    const { read } = await scriptedExtractor()
    const { pages } = await read({ steps: [{ do: 'trespass' }] })
    expect(pages[0]?.content.split('\n')).toEqual([
      'write a file: ERR_ACCESS_DENIED',
      'start a program: ERR_ACCESS_DENIED',
      'start a thread: ERR_ACCESS_DENIED',
      'make code of a string: EvalError',
      'environment: {}',
      'folder: /',
    ])
  })
})

test('every extraction error code has one sentence with a next step', () => {
  for (const message of Object.values(extractionMessages)) {
    expect(message).toMatch(/^[A-Z][^\n]*[;,][^\n]* (?:upload|reprocess|remove|save|split|check)[^\n]*\.$/)
  }
})
