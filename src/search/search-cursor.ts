import { AppError } from '../core/errors.ts'
import { termHash } from './term-hash.ts'

/** The last book that was shown: its place in the ranking, from 1, and its id. */
export interface Place {
  place: number
  id: string
}

const form = /^([0-9a-z]{1,7})\.(\d{1,9})\.([\w-]{1,64})$/

/** Where a search goes on; only for the same query. */
export function writeCursor(query: string, { place, id }: Place): string {
  return `${termHash(query).toString(36)}.${place}.${id}`
}

/** Reads what `writeCursor` wrote; refuses anything else, and the cursor of another query, with INVALID_INPUT. */
export function parseCursor(cursor: string, query: string): Place {
  const [, hash, place, id] = form.exec(cursor) ?? []
  if (id === undefined || hash !== termHash(query).toString(36)) {
    const message = 'cursor does not belong to this query. Search without it to start again.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'cursor' } })
  }
  return { place: Number(place), id }
}

/** Where to go on in a ranking: behind the book shown last, wherever it stands now; without it one place earlier. */
export function placeAfter(ranking: readonly { bookId: string }[], { place, id }: Place): number {
  const now = ranking.findIndex(({ bookId }) => bookId === id)
  return now >= 0 ? now + 1 : Math.max(0, place - 1)
}
