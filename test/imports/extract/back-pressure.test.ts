import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'

describe('a slow sink', () => {
  test('slows the reader: only a few pages are produced ahead', async () => {
    const { read } = await scriptedExtractor()
    let releasedAt = 0
    const book = await read(
      { steps: [{ do: 'stamped pages', count: 1_000, characters: 10_000 }] },
      {
        onPages: async (_pages, firstPage) => {
          if (firstPage !== 1) return
          await delay(700)
          releasedAt = Date.now()
        },
      },
    )
    const ahead = book.pages.filter(({ content }) => Number.parseInt(content, 10) < releasedAt).length
    expect(book.pages).toHaveLength(1_000)
    expect(ahead).toBeGreaterThan(1)
    expect(ahead).toBeLessThan(100)
  })

  test('does not count as silence of the reader', async () => {
    const { read } = await scriptedExtractor({ silenceTimeoutMs: 1500, totalTimeoutMs: 2000, sampleIntervalMs: 20 })
    const book = await read({ steps: [{ do: 'pages', count: 2 }] }, { onPages: () => delay(2500) })
    expect(book.pageCount).toBe(2)
  })

  test('that throws ends the extraction with its own error and is not called again', async () => {
    const { extractor, read } = await scriptedExtractor()
    let calls = 0
    const full = new Error('the disk is full')
    const reading = read(
      { steps: [{ do: 'pages', count: 500 }] },
      {
        onPages: () => {
          calls += 1
          return Promise.reject(full)
        },
      },
    )
    await expect(reading).rejects.toBe(full)
    await delay(50)
    expect(calls).toBe(1)
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 1 }] }))).toBe('ok')
    expect(extractor.pids()).toHaveLength(1)
  })
})
