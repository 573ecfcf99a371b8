import type { Budget } from '../core/context.ts'
import type { RateStatus } from '../core/errors.ts'

/** What an answer over REST may weigh: a batch of books 1,000,000 bytes, everything else is sent whole. */
export const restBudget: Budget = {
  onOverflow: 'omit',
  cost: (text) => Buffer.byteLength(text),
  maxBatchCost: 1_000_000,
  maxBookCost: Infinity,
  maxListCost: Infinity,
}

/** The `RateLimit-*` headers of a call that counted in a rate bucket (draft-ietf-httpapi-ratelimit-headers-07, section 5). */
export function rateHeaders(rate: RateStatus | null | undefined): Record<string, string> {
  if (!rate) return {}
  return {
    'RateLimit-Limit': String(rate.limit),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetSeconds),
  }
}
