import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'

describe('cancelling', () => {
  test('kills the process and rejects with CANCELLED', async () => {
    const { extractor, read } = await scriptedExtractor()
    const cancel = new AbortController()
    const reading = read(
      { steps: [{ do: 'pages', count: 1 }, { do: 'spin' }] },
      { signal: cancel.signal, onPages: async () => cancel.abort() },
    )
    expect(await extractionOutcome(reading)).toBe('CANCELLED')
    await expect.poll(() => extractor.pids()).toEqual([])
  })

  test('before the start starts no process', async () => {
    const { extractor, read } = await scriptedExtractor()
    expect(await extractionOutcome(read({ steps: [] }, { signal: AbortSignal.abort() }))).toBe('CANCELLED')
    expect(extractor.pids()).toEqual([])
  })

  test('rejects only after the sink has handled its last pages', async () => {
    const { read } = await scriptedExtractor()
    const cancel = new AbortController()
    let written = false
    const reading = read(
      { steps: [{ do: 'pages', count: 1 }, { do: 'spin' }] },
      {
        signal: cancel.signal,
        onPages: async () => {
          cancel.abort()
          await delay(200)
          written = true
        },
      },
    )
    expect(await extractionOutcome(reading)).toBe('CANCELLED')
    expect(written).toBe(true)
  })

  test('leaves no listener on a signal that outlives the book', async () => {
    const { extractor, read } = await scriptedExtractor()
    const cancel = new AbortController()
    await read({ steps: [{ do: 'pages', count: 1 }] }, { signal: cancel.signal })
    const pids = extractor.pids()
    cancel.abort()
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 1 }] }))).toBe('ok')
    expect(extractor.pids()).toEqual(pids)
  })
})

describe('closing', () => {
  test('cancels running extractions, kills every process and refuses more', async () => {
    const { extractor, read } = await scriptedExtractor()
    const readings = Promise.all([1, 2].map(() => extractionOutcome(read({ steps: [{ do: 'wait for ever' }] }))))
    await expect.poll(() => extractor.pids().length).toBe(2)
    await extractor.close()
    expect(await readings).toEqual(['CANCELLED', 'CANCELLED'])
    expect(extractor.pids()).toEqual([])
    expect(await extractionOutcome(read({ steps: [] }))).toBe('CANCELLED')
  })
})
