import { AppError } from '../core/errors.ts'
import { termHash } from './words/term-hash.ts'

/** The last book shown: its rank, from 1, and its id. */
export interface SearchCursor {
  rank: number
  id: string
}

const cursorPattern = /^([0-9a-z]{1,7})\.(\d{1,9})\.([\w-]{1,64})$/

/** Encodes a cursor for the next part. It is valid for the same query only. */
export function encodeCursor(query: string, { rank, id }: SearchCursor): string {
  return `${termHash(query).toString(36)}.${rank}.${id}`
}

/** Decodes a cursor of `encodeCursor`. Throws INVALID_INPUT for anything else and for the cursor of another query. */
export function decodeCursor(cursor: string, query: string): SearchCursor {
  const [, hash, rank, id] = cursorPattern.exec(cursor) ?? []
  if (id === undefined || hash !== termHash(query).toString(36)) {
    const message = 'cursor does not belong to this query. Search without it to start again.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'cursor' } })
  }
  return { rank: Number(rank), id }
}

/**
 * Returns the index at which the next part starts: after the last book shown, at its current position. If that book is no longer in the
 * ranking, the next part starts one position earlier than planned.
 */
export function resumeIndex(ranking: readonly { bookId: string }[], { rank, id }: SearchCursor): number {
  const current = ranking.findIndex(({ bookId }) => bookId === id)
  return current >= 0 ? current + 1 : Math.max(0, rank - 1)
}
