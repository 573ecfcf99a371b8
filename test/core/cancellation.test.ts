import { describe, expect, test, vi } from 'vitest'
import { detached, ClientDisconnected, shield, readSignal, runCancellable } from '../../src/core/cancellation.ts'

/** What a call sees at a moment: the reads that it begins may go on, never begin, or are nobody's to end. */
function reads(): 'while the client waits' | 'never' | 'to their end' {
  const signal = readSignal()
  if (!signal) return 'to their end'
  return signal.aborted ? 'never' : 'while the client waits'
}

describe('a call', () => {
  test('reads for as long as its client waits', async () => {
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

  test('is not begun for a client that has gone', async () => {
    let begun = false
    const run = async () => void (begun = true)
    await expect(runCancellable(AbortSignal.abort(), run)).rejects.toThrow(ClientDisconnected)
    expect(begun).toBe(false)
  })

  test('that has passed its point of no return runs to its end', async () => {
    const controller = new AbortController()
    const answer = await runCancellable(controller.signal, async () => {
      const early = readSignal()
      shield()
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      controller.abort()
      vi.advanceTimersByTime(60_000)
      vi.useRealTimers()
      // Also what had begun before.
      expect(early?.aborted).toBe(false)
      shield()
      return reads()
    })
    expect(answer).toBe('to their end')
  })

  test('does not pass it when its client has gone', async () => {
    const controller = new AbortController()
    const run = async () => {
      controller.abort()
      shield()
    }
    await expect(runCancellable(controller.signal, run)).rejects.toThrow(ClientDisconnected)
  })

  test('rejects with ClientGone whatever reason the transport gives, and with its own errors else', async () => {
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

  test('ends what takes long a moment after its client went', async () => {
    const controller = new AbortController()
    const ended = Promise.withResolvers<unknown>()
    const call = runCancellable(controller.signal, async () => {
      readSignal()?.addEventListener('abort', ({ target }) => ended.resolve((target as AbortSignal).reason))
      controller.abort()
      throw await ended.promise
    })
    await expect(call).rejects.toThrow(ClientDisconnected)
  })

  test('that was given up stays so for what it has left running, and one that was answered ends nothing', async () => {
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

test('work that is apart belongs to no call, whoever asks for it', async () => {
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

test('outside of calls nothing is ended', () => {
  expect(reads()).toBe('to their end')
  expect(() => shield()).not.toThrow()
})
