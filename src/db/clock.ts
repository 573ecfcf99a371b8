import type { Db } from 'mongodb'

/** The clock that all replicas share: that of their store, so that a machine whose own is wrong does not matter. */
export interface Clock {
  now(): Date
  stop(): void
}

interface Warnings {
  warn(fields: { aheadMs: number }, message: string): void
}

/** By how much the clock of a machine may differ from the store's and still be taken for the same, ms. */
const toleranceMs = 1000
const askEveryMs = 60_000
/** An answer that took longer says too little about the time, ms. */
const promptMs = 500
const tries = 3

/** Asks the store for its time, now and each minute. While it cannot be asked, or does not say, what was known last holds. */
export async function followClock(db: Db, log: Warnings): Promise<Clock> {
  let aheadMs = 0
  const ask = async () => {
    const measured = await measureAhead(db)
    if (measured === null) return
    const known = aheadMs
    aheadMs = Math.abs(measured) > toleranceMs ? measured : 0
    if (Math.abs(aheadMs - known) > toleranceMs) {
      log.warn({ aheadMs }, 'the clock of the store is not that of this machine; the time of the store is used')
    }
  }
  await ask()
  const timer = setInterval(() => void ask().catch(() => {}), askEveryMs).unref()
  return { now: () => new Date(Date.now() + aheadMs), stop: () => clearInterval(timer) }
}

/** By how many milliseconds the clock of the store is ahead of this machine's; null when it is not to be learnt. */
async function measureAhead(db: Db): Promise<number | null> {
  for (let left = tries; left > 0; left--) {
    const from = performance.now()
    const { localTime } = await db.command({ hello: 1 })
    const tookMs = performance.now() - from
    if (!(localTime instanceof Date)) return null
    if (tookMs <= promptMs) return Math.round(localTime.getTime() + tookMs / 2 - Date.now())
  }
  return null
}
