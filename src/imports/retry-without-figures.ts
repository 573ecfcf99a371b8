import type { Book } from '../books/book.ts'
import type { Log } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'
import { attemptRevision } from './end-processing.ts'
import { ExtractionError, type ExtractionErrorCode } from './extract/extraction-error.ts'
import { hideEarlierAttempt } from './show-pages.ts'
import type { Job } from './store.ts'

/** Failures that decoding a picture can cause. */
const causedByPictures: ReadonlySet<ExtractionErrorCode> = new Set(['OUT_OF_MEMORY', 'TIMED_OUT', 'CRASHED'])
/** A file that took longer is not retried, ms. */
const maxFirstAttemptMs = 3 * 60_000

/**
 * How a book is read: with figures, without figures because the format has none, or without them because they caused a
 * failure.
 */
export type FigureReading = 'with figures' | 'without figures' | 'figures left out'

/**
 * Reads a book with its figures. If its process fails, reads it again without them, so that a bad picture does not cost
 * the text. Before that, removes what the first attempt has stored and shown.
 */
export async function retryWithoutFigures<T>(
  { books, contents, log }: BookStores & ContentStores & { log: Log },
  { book, job, signal }: { book: Book; job: Job; signal: AbortSignal },
  read: (figures: FigureReading) => Promise<T>,
): Promise<T> {
  // Markdown files contain no pictures.
  if (book.sourceType === 'markdown') return read('without figures')
  const startedAt = performance.now()
  try {
    return await read('with figures')
  } catch (error) {
    const isRetryUseful = error instanceof ExtractionError && causedByPictures.has(error.code)
    if (!isRetryUseful || signal.aborted || performance.now() - startedAt > maxFirstAttemptMs) throw error
    log.warn({ err: error, itemId: book.id }, 'a book is read again without its figures')
    const [shown] = await books.findOwned(book.ownerId, [book.id])
    if (shown) await hideEarlierAttempt({ books }, shown, job)
    await contents.discardPages(book.id, attemptRevision(job, job.attempts))
    return read('figures left out')
  }
}
