import type { Book } from '../books/book.ts'
import type { BookStores } from '../books/store.ts'
import type { UnfinishedPages } from '../books/book.ts'
import { attemptRevision } from './end-processing.ts'
import type { Job } from './store.ts'

/** Minimum and maximum interval between two records of the readable pages, ms; each is a write of the book's row. */
const firstIntervalMs = 100
const maxIntervalMs = 1_000
const growth = 1.5

type Extent = Pick<UnfinishedPages, 'pages' | 'bytes' | 'words' | 'total'>

/**
 * Makes the pages of an attempt readable while it runs: call it after each batch is stored. Records the first batch at
 * once, later ones less and less often. Does nothing for a book that is readable already. Throws errors of the store.
 */
export function showPages({ books }: BookStores, { book, job }: { book: Book; job: Job }) {
  const { id: jobId, attempts: attempt } = job
  const revision = attemptRevision(job, attempt)
  let intervalMs = firstIntervalMs
  let nextAt = -Infinity
  return async (extent: Extent): Promise<void> => {
    if (book.version > 0 || performance.now() < nextAt) return
    await books.showUnfinished(book.ownerId, book.id, { jobId, attempt, revision, ...extent })
    if (nextAt !== -Infinity) intervalMs = Math.min(maxIntervalMs, intervalMs * growth)
    nextAt = performance.now() + intervalMs
  }
}

/** Hides the pages of an earlier attempt, which may be removed at any time. */
export async function hideEarlierAttempt({ books }: BookStores, book: Book, job: Job): Promise<void> {
  const { unfinished } = book
  if (!unfinished || unfinished.pages === 0) return
  const nothing = {
    revision: attemptRevision(job, job.attempts),
    pages: 0,
    bytes: 0,
    words: 0,
    total: unfinished.total,
  }
  await books.showUnfinished(book.ownerId, book.id, { jobId: job.id, attempt: job.attempts, ...nothing })
}
