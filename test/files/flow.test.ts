import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { StallError, withStallTimeout } from '../../src/runtime/stall-timeout.ts'
import { readBytes, randomFile, streamOf } from './bytes.ts'

const never = async function* (): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1)
  await new Promise(() => {})
}

const long = async function* () {
  for (let i = 0; i < 400; i++) yield new Uint8Array(1_000_000)
}

describe('a stream with a stall timeout', () => {
  test('passes all data on', async () => {
    const { bytes } = randomFile(300_000)
    expect((await readBytes(withStallTimeout(streamOf(bytes), { stallTimeoutMs: 5_000 }))).equals(bytes)).toBe(true)
  })

  test('fails with the error of its source', async () => {
    const failure = new Error('broken')
    await expect(
      readBytes(withStallTimeout(streamOf(randomFile(10).bytes, failure), { stallTimeoutMs: 5_000 })),
    ).rejects.toBe(failure)
  })

  test('fails when the source stalls', async () => {
    await expect(readBytes(withStallTimeout(never(), { stallTimeoutMs: 20 }))).rejects.toBeInstanceOf(StallError)
  })

  test.for(['before', 'while it waits'])('fails with the reason of a signal that is aborted %s', async (when) => {
    const stop = new AbortController()
    const reason = new Error('enough')
    if (when === 'before') stop.abort(reason)
    else setTimeout(() => stop.abort(reason), 20)
    await expect(readBytes(withStallTimeout(never(), { stallTimeoutMs: 60_000, signal: stop.signal }))).rejects.toBe(
      reason,
    )
  })

  test('does not count the time of its reader', async () => {
    let chunks = 0
    for await (const chunk of withStallTimeout(streamOf(randomFile(100_000).bytes), { stallTimeoutMs: 40 })) {
      chunks += chunk.length > 0 ? 1 : 0
      await new Promise((later) => setTimeout(later, 60))
    }
    expect(chunks).toBeGreaterThan(1)
  })

  test('does not retain chunks that were read', async () => {
    setFlagsFromString('--expose-gc')
    const reclaim = runInNewContext('gc') as () => void
    const passed: WeakRef<Uint8Array>[] = []
    for await (const chunk of withStallTimeout(long(), {
      stallTimeoutMs: 5_000,
      signal: new AbortController().signal,
    })) {
      expect(chunk).toHaveLength(1_000_000)
      passed.push(new WeakRef(chunk))
      if (passed.length % 100 !== 0) continue
      // The target of a weak reference stays alive until the end of the turn.
      await new Promise(setImmediate)
      reclaim()
      expect(passed.filter((each) => each.deref() !== undefined).length).toBeLessThan(10)
    }
    expect(passed.length).toBeGreaterThanOrEqual(100)
  })

  test('closes its source when its reader stops', async () => {
    let closed = false
    const source = async function* () {
      try {
        for (;;) yield new Uint8Array(1)
      } finally {
        closed = true
      }
    }
    for await (const chunk of withStallTimeout(source(), { stallTimeoutMs: 5_000 })) if (chunk.length === 1) break
    expect(closed).toBe(true)
  })
})
