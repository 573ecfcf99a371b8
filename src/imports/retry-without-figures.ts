import type { Book } from '../books/book.ts'
import type { Log } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'
import { attemptRevision } from './end-processing.ts'
import { ExtractionError, type ExtractionErrorCode } from './extract/extraction-error.ts'
import { hideEarlierAttempt } from './show-pages.ts'
import type { Job } from './store.ts'

/** What a picture can do to the process that decodes it. */
const causedByPictures: ReadonlySet<ExtractionErrorCode> = new Set(['OUT_OF_MEMORY', 'TIMED_OUT', 'CRASHED'])
/** A file that took longer is not read again, ms. */
const maxFirstAttemptMs = 3 * 60_000

/** How a book is read: with its figures, without them because it has none, or without them because they made the reading fail. */
export type FigureReading = 'with figures' | 'without figures' | 'figures left out'

/**
 * Reads a book with its figures; if the process fails that reads it, a second time without them, so that a picture costs nobody the
 * text. What the first reading has stored and shown is removed before.
 */
export async function retryWithoutFigures<T>(
  { books, contents, log }: BookStores & ContentStores & { log: Log },
  { book, job, signal }: { book: Book; job: Job; signal: AbortSignal },
  read: (figures: FigureReading) => Promise<T>,
): Promise<T> {
  // Markdown has no pictures inside.
  if (book.sourceType === 'markdown') return read('without figures')
  const startedAt = performance.now()
  try {
    return await read('with figures')
  } catch (error) {
    const mayHelp = error instanceof ExtractionError && causedByPictures.has(error.code)
    if (!mayHelp || signal.aborted || performance.now() - startedAt > maxFirstAttemptMs) throw error
    log.warn({ err: error, itemId: book.id }, 'a book is read again without its figures')
    const [shown] = await books.findOwned(book.ownerId, [book.id])
    if (shown) await hideEarlierAttempt({ books }, shown, job)
    await contents.discardPages(book.id, attemptRevision(job, job.attempts))
    return read('figures left out')
  }
}
