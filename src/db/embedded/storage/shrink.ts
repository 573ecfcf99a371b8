import type { Connection } from './sqlite.ts'

/** Pages that one call releases: few, so that commands run in between. */
const batchPages = 512
/** Free pages that are kept for the next writes: this many, or this share of the file. */
const keptPages = 1024
const keptShare = 0.05
/** Nothing is released below this share of free pages. */
const releasedShare = 0.1

/** Whether so much of the file is free that it should become smaller. */
export function shouldShrink(connection: Connection): boolean {
  const { free, total } = countPages(connection)
  return free > keptPages + total * releasedShare
}

/**
 * Moves the last pages of the file into free ones, inside a transaction; returns whether there is more to do. The file is
 * smaller after the next checkpoint.
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
