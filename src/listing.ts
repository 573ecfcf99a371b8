import type { Context } from './context.ts'
import { AppError } from './errors.ts'

/** How much of each row an answer over MCP shows; over REST all of it. */
export type Detail = 'concise' | 'detailed'

/** True when rows are shown short: for readers with a budget who did not ask for more. */
export function isConcise({ budget }: Pick<Context, 'budget'>, detail: Detail | undefined): boolean {
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
export function fitsWhole({ budget }: Pick<Context, 'budget'>, { cursor, limit }: Part, answer: object): boolean {
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
  { budget }: Pick<Context, 'budget'>,
  rows: readonly T[],
  { cursor, limit, rest = {} }: Part & { rest?: object },
): Cut<T> {
  const start = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor)
  if (start < 0) throw new AppError('INVALID_INPUT', 'cursor is not known any more. Leave it out to start again.')
  const total = rows.length
  let left = budget.list - budget.cost(JSON.stringify({ total, nextCursor: cursor, ...rest }))
  const kept: T[] = []
  for (const row of rows.slice(start, start + (limit ?? total))) {
    left -= budget.cost(JSON.stringify(row)) + 1
    if (left < 0 && kept.length > 0) break
    kept.push(row)
  }
  const next = rows[start + kept.length]
  return { rows: kept, total, ...(next ? { nextCursor: next.id } : {}) }
}
