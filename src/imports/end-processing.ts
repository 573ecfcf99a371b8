import type { Book } from '../books/book.ts'
import type { Job } from './store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

/**
 * The revision under which an attempt writes pages. It is unique per attempt, so that a worker wrongly considered dead
 * cannot mix its pages with another worker's.
 */
export function attemptRevision(job: Job, attempts: number): string {
  return `${job.id}-${attempts}`
}

/**
 * True if an import wrote the pages, so that their indices equal those in the file; revision ids of other writes
 * contain no hyphen.
 */
export function isAttemptRevision(revision: string): boolean {
  return /^[0-9a-z]+-\d+$/.test(revision)
}

/**
 * Removes the pages that the attempts of a job have stored, except those of the version that the job has sealed. First
 * hides them from readers.
 */
export async function discardAttemptPages({ books, contents }: BookStores & ContentStores, job: Job): Promise<void> {
  if (job.attempts === 0) return
  const sealed = await contents.findByJobId(job.itemId, job.id)
  const keptRevisions = new Set(sealed?.runs.map(({ revision }) => revision))
  for (let attempts = 1; attempts <= job.attempts; attempts++) {
    const revision = attemptRevision(job, attempts)
    if (keptRevisions.has(revision)) continue
    await books.hideUnfinished(job.accountId, job.itemId, { jobId: job.id, attempt: attempts })
    await contents.discardPages(job.itemId, revision)
  }
}

/**
 * Updates a book whose job ended without a new version. Readable pages stay readable, and the original file is kept.
 */
export async function endProcessing(
  services: Clock & BookStores & ContentStores,
  job: Job,
  failure: Pick<Book, 'health' | 'healthReason'>,
): Promise<void> {
  const { books, now } = services
  const [book] = await books.findOwned(job.accountId, [job.itemId])
  if (!book) return
  await discardAttemptPages(services, job)
  const { version } = book
  const outcome = version > 0 ? { status: 'READY' as const } : { status: 'FAILED' as const, ...failure }
  await books.change(book.ownerId, book.id, {
    status: 'PROCESSING',
    jobId: job.id,
    version,
    set: { ...outcome, unfinished: null, updatedAt: now() },
  })
}
