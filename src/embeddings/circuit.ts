import { performance } from 'node:perf_hooks'

/**
 * Keeps calls from a service that is away: after some failures in a row none is made for a while, then one, and after
 * each further failure the while is twice as long.
 */
export interface Circuit {
  /** True when a call may be made now. */
  isClosed(): boolean
  /** Ms until the next call may be made; 0: now. */
  waitMs(): number
  succeeded(): void
  /** `restMs`: how long the service asks to be left alone, if it does. */
  failed(restMs?: number): void
}

export interface CircuitTimes {
  /** Failures in a row until no call is made. */
  failures: number
  restMs: number
  maxRestMs: number
}

export const usualCircuit: CircuitTimes = { failures: 3, restMs: 30_000, maxRestMs: 5 * 60_000 }

/** Creates a circuit. `elapsed` is a clock that only goes forward, ms. */
export function createCircuit(
  { failures: most, restMs, maxRestMs }: CircuitTimes = usualCircuit,
  elapsed: () => number = () => performance.now(),
): Circuit {
  let failures = 0
  let until = 0
  const waitMs = () => Math.max(0, until - elapsed())
  return {
    waitMs,
    isClosed: () => waitMs() === 0,
    succeeded() {
      failures = 0
      until = 0
    },
    failed(askedMs = 0) {
      failures++
      const rest = failures < most ? 0 : Math.min(maxRestMs, restMs * 2 ** Math.min(10, failures - most))
      const wait = Math.max(rest, Math.min(maxRestMs, askedMs))
      if (wait > 0) until = elapsed() + wait
    },
  }
}
