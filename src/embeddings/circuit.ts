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
  /** `retryAfterMs`: the pause that the service asks for. Default: none. */
  failed(retryAfterMs?: number): void
}

export interface CircuitTimes {
  /** Number of consecutive failures after which calls pause. */
  failures: number
  /** The first pause, ms. */
  openMs: number
  /** Maximum pause, ms. */
  maxOpenMs: number
}

const defaultCircuit: CircuitTimes = { failures: 3, openMs: 30_000, maxOpenMs: 5 * 60_000 }

/** Creates a circuit breaker. `elapsed` is a monotonic clock, ms. */
export function createCircuit(
  { failures: maxFailures, openMs, maxOpenMs }: CircuitTimes = defaultCircuit,
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
    failed(retryAfterMs = 0) {
      failures++
      const openTime =
        failures < maxFailures ? 0 : Math.min(maxOpenMs, openMs * 2 ** Math.min(10, failures - maxFailures))
      const wait = Math.max(openTime, Math.min(maxOpenMs, retryAfterMs))
      if (wait > 0) until = elapsed() + wait
    },
  }
}
