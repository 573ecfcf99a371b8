import type { Budget } from '../core/context.ts'
import type { RateStatus } from '../core/errors.ts'

/** The budget of REST responses: 1,000,000 bytes for a batch of books, no limit for others. */
export const restBudget: Budget = {
  onOverflow: 'omit',
  cost: (text) => Buffer.byteLength(text),
  maxBatchCost: 1_000_000,
  maxBookCost: Infinity,
  maxListCost: Infinity,
  streamsTexts: true,
}

/**
 * The `RateLimit-*` headers of a rate-limited call (draft-ietf-httpapi-ratelimit-headers-07, section 5); empty if the
 * call has no limit.
 */
export function rateHeaders(rate: RateStatus | null | undefined): Record<string, string> {
  if (!rate) return {}
  return {
    'RateLimit-Limit': String(rate.limit),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetSeconds),
  }
}
