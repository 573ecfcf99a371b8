import type { Call } from './context.ts'
import { AppError } from './errors.ts'

/** How much of each row an answer over MCP shows; over REST all of it. */
export type Detail = 'concise' | 'detailed'

/** True when rows are shown short: for readers with a budget who did not ask for more. */
export function isConcise({ budget }: Pick<Call, 'budget'>, detail: Detail | undefined): boolean {
  return budget.maxListCost !== Infinity && detail !== 'detailed'
}

/** Which part of a list is asked for: from the row `cursor` on, at most `limit` rows. */
export interface SliceRequest {
  cursor?: string | undefined
  limit?: number | undefined
}

interface Slice<T> {
  rows: T[]
  /** All rows of the list. */
  total: number
  /** The first row that is left out. */
  nextCursor?: string
}

/** True when the caller asked for all of a list and an answer has room for it. */
export function fitsEntirely(
  { budget }: Pick<Call, 'budget'>,
  { cursor, limit }: SliceRequest,
  answer: object,
): boolean {
  if (cursor !== undefined || limit !== undefined) return false
  if (budget.maxListCost === Infinity) return true
  // Rows are rarely dense: a quick count of characters decides for most lists.
  const text = JSON.stringify(answer)
  return text.length <= budget.maxListCost && budget.cost(text) <= budget.maxListCost
}

/**
 * The rows of a part that an answer has room for beside `rest`, at least one. Refuses a cursor that no row has (any
 * more) with INVALID_INPUT.
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

/** Takes rows one after the other for as long as a part has room for them; the first one that it refuses is the next cursor. */
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

/** The refusal of a cursor that no row has (any more). */
export function unknownCursor(): AppError {
  return new AppError('INVALID_INPUT', 'cursor is not known any more. Leave it out to start again.')
}
