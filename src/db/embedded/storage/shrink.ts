import type { Connection } from './sqlite.ts'

/** Number of pages that one call releases; small, so that commands can run in between. */
const batchPages = 512
/** Number or share of free pages that is kept for the next writes. */
const keptPages = 1024
const keptShare = 0.05
/** Nothing is released below this share of free pages. */
const releasedShare = 0.1

/** True if enough of the file is free to shrink it. */
export function shouldShrink(connection: Connection): boolean {
  const { free, total } = countPages(connection)
  return free > keptPages + total * releasedShare
}

/**
 * Moves the last pages of the file into free pages, inside a transaction; returns true if there is more to do. The file
 * shrinks at the next checkpoint.
 */
export function releasePages(connection: Connection): boolean {
  const { free, total } = countPages(connection)
  const excess = Math.floor(free - keptPages - total * keptShare)
  if (excess <= 0) return false
  connection.exec(`PRAGMA incremental_vacuum(${Math.min(batchPages, excess)})`)
  return countPages(connection).free < free && excess > batchPages
}

function countPages(connection: Connection): { free: number; total: number } {
  const [free] = connection.get<[number]>('PRAGMA freelist_count') ?? [0]
  const [total] = connection.get<[number]>('PRAGMA page_count') ?? [0]
  return { free, total }
}
