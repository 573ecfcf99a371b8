import { setImmediate as nextIteration } from 'node:timers/promises'

export interface SlotLimits {
  /** Maximum number of slots that one key holds at a time. */
  perKey: number
  /** Maximum number of slots that all keys hold together. */
  total: number
  /** Maximum number of queued calls per key. */
  maxWaitingPerKey: number
  /** Maximum time in the queue, ms. */
  maxWaitMs: number
}

/** Limits concurrency per key and in total. */
export interface Slots {
  /**
   * Takes a slot and returns the function that releases it. Queues if none is free; returns null if the queue of the
   * key is full or the wait exceeds `maxWaitMs`. Throws the reason of `signal` if it aborts while the call waits.
   */
  take(key: string, signal?: AbortSignal): Promise<(() => void) | null>
}

interface Waiter {
  key: string
  grant: () => void
}

/**
 * Creates slots. A released slot goes to the first queued call whose key is below its limit, and then the other calls of that key
 * go to the end of the queue: keys take turns, so that no key blocks another.
 */
export function createSlots({ perKey, total, maxWaitingPerKey, maxWaitMs }: SlotLimits): Slots {
  const held = new Map<string, number>()
  let line: Waiter[] = []
  let taken = 0

  const isFree = (key: string) => taken < total && (held.get(key) ?? 0) < perKey
  const hold = (key: string) => {
    taken++
    held.set(key, (held.get(key) ?? 0) + 1)
    let returned = false
    return () => {
      if (returned) return
      returned = true
      taken--
      const rest = (held.get(key) as number) - 1
      if (rest === 0) held.delete(key)
      else held.set(key, rest)
      serveLine()
    }
  }
  const serveLine = () => {
    const next = line.find(({ key }) => isFree(key))
    if (!next) return
    line = lineAfter(line, next)
    next.grant()
  }
  const wait = (key: string, signal: AbortSignal | undefined) =>
    new Promise<(() => void) | null>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        const at = line.indexOf(waiter)
        if (at >= 0) line.splice(at, 1)
      }
      const abort = () => {
        settle()
        reject(signal?.reason as Error)
      }
      const waiter: Waiter = {
        key,
        grant() {
          settle()
          resolve(keepUnlessAborted(hold(key), signal))
        },
      }
      const timer = setTimeout(() => {
        settle()
        resolve(null)
      }, maxWaitMs)
      signal?.addEventListener('abort', abort, { once: true })
      line.push(waiter)
    })
  return {
    async take(key, signal) {
      signal?.throwIfAborted()
      if (isFree(key)) return hold(key)
      if (line.filter((waiter) => waiter.key === key).length >= maxWaitingPerKey) return null
      return wait(key, signal)
    },
  }
}

/** The queue after it was the turn of `next`: the other calls of its key are at the end. */
function lineAfter(line: readonly Waiter[], next: Waiter): Waiter[] {
  const isOther = ({ key }: Waiter) => key !== next.key
  return [...line.filter(isOther), ...line.filter((waiter) => waiter !== next && !isOther(waiter))]
}

/** Keeps a slot. If a call disconnected together with the one that released the slot, releases it and throws the reason of the signal. */
async function keepUnlessAborted(release: () => void, signal: AbortSignal | undefined): Promise<() => void> {
  await nextIteration()
  if (signal?.aborted) release()
  signal?.throwIfAborted()
  return release
}
