import type { Book } from '../books/book.ts'
import type { Job } from './store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

/** Each attempt writes under a name of its own, so that a worker thought dead cannot mix its pages with another's. */
export function attemptRevision(job: Job, attempts: number): string {
  return `${job.id}-${attempts}`
}

/** Removes the pages that a job's attempts have stored, except those of the version that it has made. */
export async function discardAttemptPages({ contents }: ContentStores, job: Job): Promise<void> {
  if (job.attempts === 0) return
  const sealed = await contents.findByJobId(job.itemId, job.id)
  const keptRevisions = new Set(sealed?.runs.map(({ revision }) => revision))
  for (let attempts = 1; attempts <= job.attempts; attempts++) {
    const revision = attemptRevision(job, attempts)
    if (!keptRevisions.has(revision)) await contents.discardPages(job.itemId, revision)
  }
}

/** Settles a book whose job ended without a book. Pages that were readable before stay readable, and the original stays. */
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
    set: { ...outcome, updatedAt: now() },
  })
}
