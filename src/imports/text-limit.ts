import type { Plan } from '../core/plan.ts'
import { ExtractionError } from './extract/extraction-error.ts'

const bytesPerMb = 1024 * 1024
const maxGrowth = 50
/** Text of this size is allowed for every file, however small. */
const minTextBytes = 20 * bytesPerMb

/**
 * The largest text that a file may unfold to, in bytes: 50 times its size, at least 20 MB, at most what the plan of its owner
 * allows. Built-in books have no plan.
 */
export function maxTextBytes(fileBytes: number, plan: Pick<Plan, 'textMb'> | null): number {
  const byFile = Math.max(maxGrowth * fileBytes, minTextBytes)
  return plan === null ? byFile : Math.min(byFile, plan.textMb * bytesPerMb)
}

/** Throws TOO_LARGE for more text than `maxTextBytes`. */
export function requireTextWithin(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new ExtractionError('TOO_LARGE', `${bytes} bytes of text, more than ${maxBytes}`)
}
