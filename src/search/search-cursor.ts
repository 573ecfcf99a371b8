import { AppError } from '../core/errors.ts'
import { termHash } from './term-hash.ts'

/** The last book that was shown: its place in the ranking, from 1, and its id. */
export interface SearchCursor {
  rank: number
  id: string
}

const cursorPattern = /^([0-9a-z]{1,7})\.(\d{1,9})\.([\w-]{1,64})$/

/** Where a search goes on; only for the same query. */
export function encodeCursor(query: string, { rank, id }: SearchCursor): string {
  return `${termHash(query).toString(36)}.${rank}.${id}`
}

/** Reads what `writeCursor` wrote; refuses anything else, and the cursor of another query, with INVALID_INPUT. */
export function decodeCursor(cursor: string, query: string): SearchCursor {
  const [, hash, rank, id] = cursorPattern.exec(cursor) ?? []
  if (id === undefined || hash !== termHash(query).toString(36)) {
    const message = 'cursor does not belong to this query. Search without it to start again.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'cursor' } })
  }
  return { rank: Number(rank), id }
}

/** Where to go on in a ranking: behind the book shown last, wherever it stands now; without it one place earlier. */
export function resumeIndex(ranking: readonly { bookId: string }[], { rank, id }: SearchCursor): number {
  const current = ranking.findIndex(({ bookId }) => bookId === id)
  return current >= 0 ? current + 1 : Math.max(0, rank - 1)
}
