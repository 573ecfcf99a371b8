import { setTimeout as delay } from 'node:timers/promises'
import { detached } from '../core/cancellation.ts'
import type { Clock } from '../core/context.ts'
import { runHealthChecks, type HealthCheck, type PartHealth } from './check.ts'

/** The health of a running server. */
export interface ServerHealth {
  /** Checks all parts now. Calls of the same moment share the checks. */
  check(): Promise<PartHealth[]>
  /**
   * The parts that need an administrator, for pages that show something else: seen within the last minute, or if that
   * takes too long, when they were last checked.
   */
  knownProblems(): Promise<PartHealth[]>
  startedAt: Date
}

/** How long what was seen counts as known, ms. */
const knownForMs = 60_000
/** How long a page about something else waits for the checks, ms. */
const maxWaitMs = 500

/** Creates the health of a server that starts now, from its checks. */
export function createServerHealth(checks: readonly HealthCheck[], { now }: Clock): ServerHealth {
  let seen: { at: Date; parts: PartHealth[] } | null = null
  let running: Promise<PartHealth[]> | null = null
  // Shared by calls: no client that disconnects may end it.
  const run = detached(async () => {
    const parts = await runHealthChecks(checks)
    seen = { at: now(), parts }
    running = null
    return parts
  })
  const check = () => (running ??= run())
  return {
    check,
    async knownProblems() {
      if (seen === null || now().getTime() - seen.at.getTime() > knownForMs)
        await Promise.race([check(), delay(maxWaitMs, undefined, { ref: false })])
      return (seen?.parts ?? []).filter(({ ok }) => !ok)
    },
    startedAt: now(),
  }
}
