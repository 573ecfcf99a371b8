import { describe, expect, test, vi } from 'vitest'
import { detached, ClientDisconnected, shield, readSignal, runCancellable } from '../../src/core/cancellation.ts'

/** What happens to a read that starts now if the client disconnects. */
function reads(): 'while the client waits' | 'never' | 'to their end' {
  const signal = readSignal()
  if (!signal) return 'to their end'
  return signal.aborted ? 'never' : 'while the client waits'
}

describe('a call', () => {
  test('a call reads while its client is connected', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const run = async () => {
      seen.push(reads())
      controller.abort()
      seen.push(reads())
      throw readSignal()?.reason
    }
    await expect(runCancellable(controller.signal, run)).rejects.toThrow(ClientDisconnected)
    expect(seen).toEqual(['while the client waits', 'never'])
  })

  test('a call does not start for a disconnected client', async () => {
    let begun = false
    const run = async () => void (begun = true)
    await expect(runCancellable(AbortSignal.abort(), run)).rejects.toThrow(ClientDisconnected)
    expect(begun).toBe(false)
  })

  test('a shielded call runs to completion', async () => {
    const controller = new AbortController()
    const answer = await runCancellable(controller.signal, async () => {
      const early = readSignal()
      shield()
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      controller.abort()
      vi.advanceTimersByTime(60_000)
      vi.useRealTimers()
      // The same holds for reads that began before.
      expect(early?.aborted).toBe(false)
      shield()
      return reads()
    })
    expect(answer).toBe('to their end')
  })

  test('shield throws once the client has disconnected', async () => {
    const controller = new AbortController()
    const run = async () => {
      controller.abort()
      shield()
    }
    await expect(runCancellable(controller.signal, run)).rejects.toThrow(ClientDisconnected)
  })

  test('a cancelled call rejects with ClientDisconnected whatever the abort reason; other errors pass unchanged', async () => {
    const controller = new AbortController()
    const run = async () => {
      controller.abort('connection closed')
      controller.signal.throwIfAborted()
    }
    await expect(runCancellable(controller.signal, run)).rejects.toThrow(ClientDisconnected)
    const other = new AbortController()
    const fails = async () => {
      other.abort()
      throw new RangeError('a defect')
    }
    await expect(runCancellable(other.signal, fails)).rejects.toThrow('a defect')
  })

  test('a long read is aborted shortly after the client disconnects', async () => {
    const controller = new AbortController()
    const ended = Promise.withResolvers<unknown>()
    const call = runCancellable(controller.signal, async () => {
      readSignal()?.addEventListener('abort', ({ target }) => ended.resolve((target as AbortSignal).reason))
      controller.abort()
      throw await ended.promise
    })
    await expect(call).rejects.toThrow(ClientDisconnected)
  })

  test('background work of an abandoned call stays cancelled; after a response nothing is cancelled', async () => {
    const over = Promise.withResolvers<void>()
    const gone = new AbortController()
    let rest: Promise<string> | undefined
    const run = async () => {
      rest = over.promise.then(reads)
      gone.abort()
      throw readSignal()?.reason
    }
    await expect(runCancellable(gone.signal, run)).rejects.toThrow(ClientDisconnected)
    over.resolve()
    expect(await rest).toBe('never')
    const answered = new AbortController()
    const other = Promise.withResolvers<void>()
    await runCancellable(answered.signal, async () => {
      rest = other.promise.then(reads)
    })
    answered.abort()
    other.resolve()
    expect(await rest).toBe('to their end')
  })
})

test('detached work does not depend on the call that starts it', async () => {
  const controller = new AbortController()
  const shared = detached(async (by: string) => {
    shield()
    return `${reads()}, asked by ${by}`
  })
  const call = runCancellable(controller.signal, async () => {
    const answer = shared('one')
    controller.abort()
    expect(await answer).toBe('to their end, asked by one')
    return reads()
  })
  expect(await call).toBe('never')
})

test('outside calls nothing is cancelled', () => {
  expect(reads()).toBe('to their end')
  expect(() => shield()).not.toThrow()
})
