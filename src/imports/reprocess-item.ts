import { quotedFromField } from '../books/access.ts'
import { isActive } from './list-imports.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReprocessedItem, ReprocessItem } from '../books/enrich-schema.ts'
import { findAccessibleBook, itemNotFound } from '../books/find-book.ts'
import type { Book } from '../books/book.ts'
import { AppError } from '../core/errors.ts'
import { queueJob } from './queue-job.ts'
import { requireQueueCapacity } from './require-queue-capacity.ts'
import type { Job, JobStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { QueueServices } from './queue.ts'
import type { BookStores } from '../books/store.ts'

/**
 * Imports the original file of one of the caller's books again. Its current pages stay readable until the new ones are
 * complete. Throws INVALID_INPUT for a built-in book and one without an original file, FORBIDDEN for another owner's
 * book, RATE_LIMITED (`requireQueueCapacity`).
 */
export async function reprocessItem(
  ctx: Call & BookAccessStores & JobStores & QueueServices,
  { itemId, password }: ReprocessItem,
): Promise<ReprocessedItem> {
  const book = await findAccessibleBook(ctx, itemId)
  if (book.access.kind === 'system') throw invalidInputError('Built-in books cannot be reprocessed')
  if (book.access.kind !== 'own') throw new AppError('FORBIDDEN', 'Only the owner may reprocess a book')
  if (!book.original) throw invalidInputError('This book has no original file; change its text instead')
  const job = await queueReprocessing(ctx, book, password)
  const item = { id: book.id, title: book.title, status: statusOf(book), ...quotedFromField(book) }
  return { item, job: { id: job.id, status: job.status } }
}

const jobCreationTimeoutMs = 5000

/** Returns the waiting or running job, or a new one. Of concurrent calls, one creates it and the others return it. */
async function queueReprocessing(
  ctx: Call & JobStores & BookStores & QueueServices,
  book: Book,
  password: string | undefined,
): Promise<Job> {
  const currentJob = book.jobId === null ? null : await ctx.jobs.byId(ctx.actor.id, book.jobId)
  if (currentJob && isActive(currentJob)) return currentJob
  await requireQueueCapacity(ctx)
  const isBeingCreated =
    book.jobId !== null && !currentJob && ctx.now().getTime() - book.updatedAt.getTime() < jobCreationTimeoutMs
  const jobId = ctx.newId()
  const set = { jobId, status: statusOf(book), updatedAt: ctx.now() }
  if (isBeingCreated || !(await ctx.books.change(ctx.actor.id, book.id, { set, jobId: book.jobId }))) {
    // Another call writes the job id to the book first and stores the job a moment later.
    await sleep(25)
    const [changed] = await ctx.books.findOwned(ctx.actor.id, [book.id])
    if (!changed) throw itemNotFound()
    return queueReprocessing(ctx, changed, password)
  }
  const retry = currentJob?.status === 'FAILED' ? 1 : 0
  return queueJob(ctx, book, { id: jobId, type: 'reprocess', retry, password })
}

function statusOf({ version }: Book): 'READY' | 'PROCESSING' {
  return version > 0 ? 'READY' : 'PROCESSING'
}

function invalidInputError(message: string): AppError {
  return new AppError('INVALID_INPUT', message)
}
