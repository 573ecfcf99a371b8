import type { Call } from './context.ts'
import { AppError } from './errors.ts'

/** How much of each row a response includes over MCP; over REST rows are always complete. */
export type Detail = 'concise' | 'detailed'

/** True if rows are shortened: the transport has a list budget and the caller did not ask for details. */
export function isConcise({ budget }: Pick<Call, 'budget'>, detail: Detail | undefined): boolean {
  return budget.maxListCost !== Infinity && detail !== 'detailed'
}

/** The requested slice of a list: at most `limit` rows, starting at the row `cursor`. */
export interface SliceRequest {
  cursor?: string | undefined
  limit?: number | undefined
}

interface Slice<T> {
  rows: T[]
  /** Number of rows in the whole list. */
  total: number
  /** Id of the first omitted row. */
  nextCursor?: string
}

/** True if the caller asked for the whole list and it fits into the budget. */
export function fitsEntirely(
  { budget }: Pick<Call, 'budget'>,
  { cursor, limit }: SliceRequest,
  answer: object,
): boolean {
  if (cursor !== undefined || limit !== undefined) return false
  if (budget.maxListCost === Infinity) return true
  // A cheap count of characters decides for most lists.
  const text = JSON.stringify(answer)
  return text.length <= budget.maxListCost && budget.cost(text) <= budget.maxListCost
}

/**
 * The rows of a slice that fit into the budget besides `rest`, at least one. Refuses an unknown cursor with
 * INVALID_INPUT.
 */
export function sliceRows<T extends { id: string }>(
  ctx: Pick<Call, 'budget'>,
  rows: readonly T[],
  request: SliceRequest & { rest?: object },
): Slice<T> {
  const start = request.cursor === undefined ? 0 : rows.findIndex(({ id }) => id === request.cursor)
  if (start < 0) throw unknownCursor()
  const slicer = createSlicer<T>(ctx, { ...request, total: rows.length })
  for (let index = start; index < rows.length; index++) if (!slicer.tryAdd(rows[index] as T)) break
  return slicer.toSlice()
}

/** Collects rows while they fit into the budget; the first row that does not fit becomes the next cursor. */
export function createSlicer<T extends { id: string }>(
  { budget }: Pick<Call, 'budget'>,
  { cursor, limit = Infinity, total, rest = {} }: SliceRequest & { total: number; rest?: object },
): { tryAdd(row: T): boolean; toSlice(): Slice<T> } {
  let remaining = budget.maxListCost - budget.cost(JSON.stringify({ total, nextCursor: cursor, ...rest }))
  const rows: T[] = []
  let firstOmitted: T | undefined
  return {
    tryAdd(row) {
      remaining -= budget.cost(JSON.stringify(row)) + 1
      const fits = rows.length < limit && (remaining >= 0 || rows.length === 0)
      if (fits) rows.push(row)
      else firstOmitted ??= row
      return fits
    },
    toSlice: () => ({ rows, total, ...(firstOmitted ? { nextCursor: firstOmitted.id } : {}) }),
  }
}

/** The error for an unknown cursor. */
export function unknownCursor(): AppError {
  return new AppError('INVALID_INPUT', 'cursor is unknown or expired. Omit it to start again.')
}
