import type { Db } from 'mongodb'

/** The clock that all replicas share: that of their store, so that a machine whose own is wrong does not matter. */
export interface Clock {
  now(): Date
  stop(): void
}

interface ClockLog {
  warn(fields: { offsetMs: number }, message: string): void
}

/** By how much the clock of a machine may differ from the store's and still be taken for the same, ms. */
const toleranceMs = 1000
const syncIntervalMs = 60_000
/** An answer that took longer says too little about the time, ms. */
const maxRoundTripMs = 500
const maxAttempts = 3

/** Asks the store for its time, now and each minute. While it cannot be asked, or does not say, what was known last holds. */
export async function startClock(db: Db, log: ClockLog): Promise<Clock> {
  let offsetMs = 0
  const sync = async () => {
    const measured = await measureOffset(db)
    if (measured === null) return
    const previous = offsetMs
    offsetMs = Math.abs(measured) > toleranceMs ? measured : 0
    if (Math.abs(offsetMs - previous) > toleranceMs) {
      log.warn({ offsetMs }, 'the clock of the store is not that of this machine; the time of the store is used')
    }
  }
  await sync()
  const timer = setInterval(() => void sync().catch(() => {}), syncIntervalMs).unref()
  return { now: () => new Date(Date.now() + offsetMs), stop: () => clearInterval(timer) }
}

/** By how many milliseconds the clock of the store is ahead of this machine's; null when it is not to be learnt. */
async function measureOffset(db: Db): Promise<number | null> {
  for (let attemptsLeft = maxAttempts; attemptsLeft > 0; attemptsLeft--) {
    const startedAt = performance.now()
    const { localTime } = await db.command({ hello: 1 })
    const roundTripMs = performance.now() - startedAt
    if (!(localTime instanceof Date)) return null
    if (roundTripMs <= maxRoundTripMs) return Math.round(localTime.getTime() + roundTripMs / 2 - Date.now())
  }
  return null
}
