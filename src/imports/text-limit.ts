import type { Plan } from '../core/plan.ts'
import { ExtractionError } from './extract/extraction-error.ts'

const bytesPerMb = 1024 * 1024
const maxGrowth = 50
/** This much text is allowed for every file, however small. */
const minTextBytes = 20 * bytesPerMb

/**
 * Maximum text size of a file, in bytes: 50 times its size, at least 20 MB, at most the limit of the owner's plan.
 * Built-in books have no plan.
 */
export function maxTextBytes(fileBytes: number, plan: Pick<Plan, 'textMb'> | null): number {
  const byFile = Math.max(maxGrowth * fileBytes, minTextBytes)
  return plan === null ? byFile : Math.min(byFile, plan.textMb * bytesPerMb)
}

/** Throws TOO_LARGE if the text exceeds `maxBytes`; see `maxTextBytes`. */
export function requireTextWithin(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new ExtractionError('TOO_LARGE', `${bytes} bytes of text, more than ${maxBytes}`)
}
