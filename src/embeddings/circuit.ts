import { performance } from 'node:perf_hooks'

/**
 * A circuit breaker: after several consecutive failures of a service, calls pause for a while; then one call is tried,
 * and each further failure doubles the pause.
 */
export interface Circuit {
  /** True if calls are allowed now. */
  isClosed(): boolean
  /** Time until the next call is allowed, ms; 0: now. */
  waitMs(): number
  succeeded(): void
  /** `restMs`: the pause that the service asks for, if any. */
  failed(restMs?: number): void
}

export interface CircuitTimes {
  /** Number of consecutive failures after which calls pause. */
  failures: number
  restMs: number
  maxRestMs: number
}

export const defaultCircuit: CircuitTimes = { failures: 3, restMs: 30_000, maxRestMs: 5 * 60_000 }

/** Creates a circuit breaker. `elapsed` is a monotonic clock, ms. */
export function createCircuit(
  { failures: most, restMs, maxRestMs }: CircuitTimes = defaultCircuit,
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
