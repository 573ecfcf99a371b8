import type { Db } from 'mongodb'
import { changeCounterOf } from '../db/cached-reads.ts'
import { unjournaled } from '../db/write-concern.ts'
import { AppError, isStoreFull, type RateStatus } from '../core/errors.ts'
import { createCountsAhead } from './counts-ahead.ts'
import { createWindowCounter, type WindowCount, type WindowRow } from './window-counter.ts'

/** Calls allowed in one 60-second window (contract, Limits; those from `citation_checks` to `searches` are additions of this server). */
export const rateLimits = {
  library_writes: 120,
  content_writes: 60,
  upload_check: 60,
  team_changes: 20,
  settings_writes: 20,
  value_reports: 100,
  reports: 10,
  citation_checks: 60,
  reprocessing: 30,
  enrichment: 60,
  upload_confirms: 120,
  content_reads: 120,
  searches: 300,
  mcp_read: 100,
  mcp_write: 20,
} as const

export type RateBucket = keyof typeof rateLimits

export const rateWindowMs = 60_000

/** The maximum number of keys in memory. */
const maxKeys = 10_000

export interface RateLimiter {
  /**
   * Counts one call and returns the state of the bucket; refuses with RATE_LIMITED. `none` counts nothing and returns
   * null.
   */
  consume(accountId: string, bucket: RateBucket | 'none'): Promise<RateStatus | null>
}

export interface RateServices {
  rateLimiter: RateLimiter
}

/**
 * Counts calls on MongoDB, so that all processes share one window. A window begins with its first call, by the store's
 * clock. Remembers a caller over the limit in memory, so that refused calls cause no writes. In the first half of a window, a
 * process that can see changes by other processes reserves a few calls at once; see `createCountsAhead`. While the store has no space, each
 * process counts on its own, so that people can still read.
 */
export function createRateLimiter(db: Db, limits: Record<RateBucket, number>): RateLimiter {
  const countInWindow = createWindowCounter(db.collection<WindowRow>('rates', unjournaled))
  const ahead = createCountsAhead(changeCounterOf(db, 'rates'))
  const blockedUntil = new Map<string, number>()
  const countLocally = createLocalCounter()
  return {
    async consume(accountId, bucket) {
      if (bucket === 'none') return null
      const limit = limits[bucket]
      const key = `${accountId}:${bucket}`
      const now = performance.now()
      const blockedUntilMs = blockedUntil.get(key)
      if (blockedUntilMs !== undefined && blockedUntilMs > now)
        throw rateLimitedError(bucket, limit, blockedUntilMs - now)
      blockedUntil.delete(key)
      const counted = (calls: number) =>
        countInWindow({ key, windowMs: rateWindowMs, calls }).catch((error: unknown) => {
          if (isStoreFull(error)) return countLocally({ key, now, calls })
          throw error
        })
      const { count, remainingMs } = ahead.take(key, now) ?? (await ahead.count({ key, limit, now }, counted))
      if (count <= limit) return { limit, remaining: limit - count, resetSeconds: Math.ceil(remainingMs / 1000) }
      if (blockedUntil.size > maxKeys) blockedUntil.clear()
      blockedUntil.set(key, now + remainingMs)
      throw rateLimitedError(bucket, limit, remainingMs)
    },
  }
}

/** Counts calls in windows in memory; `now` is on the clock of this process, ms. */
function createLocalCounter(): (call: { key: string; now: number; calls: number }) => WindowCount {
  const windows = new Map<string, { start: number; count: number }>()
  return ({ key, now, calls }) => {
    const last = windows.get(key)
    const window = last && now < last.start + rateWindowMs ? last : { start: now, count: 0 }
    window.count += calls
    if (windows.size >= maxKeys) windows.clear()
    windows.set(key, window)
    return { count: window.count, remainingMs: window.start + rateWindowMs - now }
  }
}

function rateLimitedError(bucket: RateBucket, limit: number, remainingMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(remainingMs / 1000))
  const reason = bucket === 'team_changes' ? 'Too many team changes in a short window' : 'Too many requests'
  return new AppError('RATE_LIMITED', `${reason} — retry in ${seconds}s.`, {
    retryAfterSeconds: seconds,
    rateStatus: { limit, remaining: 0, resetSeconds: seconds },
  })
}
