import type { Db } from 'mongodb'

/** The clock shared by all replicas: the database's clock. A wrong clock on one machine has no effect. */
export interface Clock {
  now(): Date
  stop(): void
}

interface ClockLog {
  warn(fields: { offsetMs: number }, message: string): void
}

/** Differences between the machine's and the database's clock up to this are ignored, ms. */
const toleranceMs = 1000
const syncIntervalMs = 60_000
/** Slower replies are too imprecise to measure the offset, ms. */
const maxRoundTripMs = 500
const maxAttempts = 3

/**
 * Reads the database's clock now and every minute, and at once after the clock of this machine was set. If that fails
 * later, keeps the last known offset.
 */
export async function startClock(db: Db, log: ClockLog): Promise<Clock> {
  let offsetMs = 0
  /** The machine's clock minus time since the start, which changes only when the clock is set or the machine sleeps. */
  let settingMs = readSetting()
  let running: Promise<void> | undefined
  const sync = async () => {
    const measured = await measureOffset(db)
    if (measured === null) return
    const previous = offsetMs
    settingMs = readSetting()
    offsetMs = Math.abs(measured) > toleranceMs ? measured : 0
    if (Math.abs(offsetMs - previous) > toleranceMs) {
      log.warn(
        { offsetMs },
        'the clock of this machine differs from the clock of the database; using the database clock',
      )
    }
  }
  const syncSoon = () => {
    running ??= sync()
      .catch(() => {})
      .finally(() => (running = undefined))
  }
  await sync()
  const timer = setInterval(syncSoon, syncIntervalMs).unref()
  return {
    now() {
      if (Math.abs(readSetting() - settingMs) <= toleranceMs) return new Date(Date.now() + offsetMs)
      syncSoon()
      return new Date(settingMs + performance.now() + offsetMs)
    },
    stop: () => clearInterval(timer),
  }
}

function readSetting(): number {
  return Date.now() - performance.now()
}

/** Milliseconds by which the database's clock is ahead of this machine's; null if it cannot be measured. */
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
