import type { Book } from '../books/book.ts'
import type { Log } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import { ExtractionError, type ExtractionErrorCode } from './extract/extraction-error.ts'

/** What a picture can do to the process that decodes it. */
const causedByPictures: ReadonlySet<ExtractionErrorCode> = new Set(['OUT_OF_MEMORY', 'TIMED_OUT', 'CRASHED'])
/** A file that took longer is not read again, ms. */
const maxFirstAttemptMs = 3 * 60_000

/**
 * Reads a book with its figures; if the process fails that reads it, a second time without them, so that a picture costs nobody the
 * text. What the first attempt has stored under the revision is removed before.
 */
export async function retryWithoutFigures<T>(
  { contents, log }: ContentStores & { log: Log },
  { book, revision, signal }: { book: Book; revision: string; signal: AbortSignal },
  read: (figures: boolean) => Promise<T>,
): Promise<T> {
  // Markdown has no pictures inside.
  if (book.sourceType === 'markdown') return read(false)
  const startedAt = performance.now()
  try {
    return await read(true)
  } catch (error) {
    const mayHelp = error instanceof ExtractionError && causedByPictures.has(error.code)
    if (!mayHelp || signal.aborted || performance.now() - startedAt > maxFirstAttemptMs) throw error
    log.warn({ err: error, itemId: book.id }, 'a book is read again without its figures')
    await contents.discardPages(book.id, revision)
    return read(false)
  }
}
