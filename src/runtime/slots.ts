export interface SlotLimits {
  /** Slots that one key may hold at a time. */
  perKey: number
  /** Slots that all keys together may hold at a time. */
  total: number
  /** Calls of one key that may wait in line. */
  maxWaitingPerKey: number
  /** How long a call waits, ms. */
  maxWaitMs: number
}

/** Limits how many calls do something at a time, for each key and in all. */
export interface Slots {
  /**
   * Takes a slot and returns the function that gives it back; waits in line for it, and returns null when the line of the
   * key is full or the wait too long. Throws the reason of `signal` when that aborts while the call waits.
   */
  take(key: string, signal?: AbortSignal): Promise<(() => void) | null>
}

interface Waiter {
  key: string
  grant: () => void
}

/** Creates slots. A freed slot goes to the first in line whose key may have one more, so that no key holds up another. */
export function createSlots({ perKey, total, maxWaitingPerKey, maxWaitMs }: SlotLimits): Slots {
  const held = new Map<string, number>()
  const line: Waiter[] = []
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
    const at = line.findIndex(({ key }) => isFree(key))
    if (at >= 0) line.splice(at, 1)[0]?.grant()
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
          resolve(hold(key))
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
