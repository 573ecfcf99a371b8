import type { Call } from './context.ts'
import { AppError } from './errors.ts'

/** How much of each row an answer over MCP shows; over REST all of it. */
export type Detail = 'concise' | 'detailed'

/** True when rows are shown short: for readers with a budget who did not ask for more. */
export function isConcise({ budget }: Pick<Call, 'budget'>, detail: Detail | undefined): boolean {
  return budget.list !== Infinity && detail !== 'detailed'
}

/** Which part of a list is asked for: from the row `cursor` on, at most `limit` rows. */
export interface Part {
  cursor?: string | undefined
  limit?: number | undefined
}

interface Cut<T> {
  rows: T[]
  /** All rows of the list. */
  total: number
  /** The first row that is left out. */
  nextCursor?: string
}

/** True when the caller asked for all of a list and an answer has room for it. */
export function fitsWhole({ budget }: Pick<Call, 'budget'>, { cursor, limit }: Part, answer: object): boolean {
  if (cursor !== undefined || limit !== undefined) return false
  if (budget.list === Infinity) return true
  // Rows are rarely dense: a quick count of characters decides for most lists.
  const text = JSON.stringify(answer)
  return text.length <= budget.list && budget.cost(text) <= budget.list
}

/**
 * The rows of a part that an answer has room for beside `rest`, at least one. Refuses a cursor that no row has (any
 * more) with INVALID_INPUT.
 */
export function cutRows<T extends { id: string }>(
  ctx: Pick<Call, 'budget'>,
  rows: readonly T[],
  part: Part & { rest?: object },
): Cut<T> {
  const start = part.cursor === undefined ? 0 : rows.findIndex(({ id }) => id === part.cursor)
  if (start < 0) throw unknownCursor()
  const cut = openCut<T>(ctx, { ...part, total: rows.length })
  for (let at = start; at < rows.length; at++) if (!cut.take(rows[at] as T)) break
  return cut.end()
}

/** Takes rows one after the other for as long as a part has room for them; the first one that it refuses is the next cursor. */
export function openCut<T extends { id: string }>(
  { budget }: Pick<Call, 'budget'>,
  { cursor, limit = Infinity, total, rest = {} }: Part & { total: number; rest?: object },
): { take(row: T): boolean; end(): Cut<T> } {
  let left = budget.list - budget.cost(JSON.stringify({ total, nextCursor: cursor, ...rest }))
  const rows: T[] = []
  let next: T | undefined
  return {
    take(row) {
      left -= budget.cost(JSON.stringify(row)) + 1
      const fits = rows.length < limit && (left >= 0 || rows.length === 0)
      if (fits) rows.push(row)
      else next ??= row
      return fits
    },
    end: () => ({ rows, total, ...(next ? { nextCursor: next.id } : {}) }),
  }
}

/** The refusal of a cursor that no row has (any more). */
export function unknownCursor(): AppError {
  return new AppError('INVALID_INPUT', 'cursor is not known any more. Leave it out to start again.')
}
