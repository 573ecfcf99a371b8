import type { Book, Original } from '../books/book.ts'
import type { Log, Clock } from '../core/context.ts'
import { isStoreFull, isStoreUnavailable } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Manifest } from '../reading/manifest.ts'
import { discardAttempts, endProcessing, revisionOf } from './end-processing.ts'
import { sealImport } from './seal-import.ts'
import { announceEnd } from './notify-import-ended.ts'
import { ExtractionError, extractionMessages, type ExtractionErrorCode } from './extract/extraction-error.ts'
import type { ExtractionSummary, Extractor } from './extract/extractor.ts'
import { healthOfFailure } from './assess-health.ts'
import { importedBook } from './build-imported-book.ts'
import { holdLease, type Lease } from './lease.ts'
import type { Job, JobStores } from './store.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { FileStores } from '../files/store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { WriteStores } from '../writing/store.ts'

export interface ImportServices
  extends Clock, JobStores, BookStores, ContentStores, FileStores, BookEventServices, NotificationStores, WriteStores {
  extractor: Extractor
  log: Log
  /** How long a worker may be silent before another one takes its job over. */
  leaseMs: number
}

/** A job whose worker dies this often is not tried again. */
const maxAttempts = 5

/**
 * Runs one import or reprocessing job to its end. Safe to call for any job at any time: another worker's job, and one
 * that has ended, are left alone; what an earlier attempt left is cleared or finished. Throws only when the store or the
 * files are out of reach; the job is then taken up again later.
 */
export async function runImport(services: ImportServices, jobId: string): Promise<void> {
  const { jobs, now, leaseMs } = services
  const fence = newId()
  const at = now()
  const job = await jobs.claim(jobId, { fence, now: at, leaseUntil: new Date(at.getTime() + leaseMs) })
  if (!job) return
  const lease = holdLease(services, { jobId, fence })
  try {
    await attempt(services, job, lease)
  } finally {
    await lease.release()
  }
}

async function attempt(services: ImportServices, job: Job, lease: Lease): Promise<void> {
  const [book] = await services.books.owned(job.accountId, [job.itemId])
  if (!book?.original)
    return lease.finish({ status: 'CANCELLED', error: 'The book was deleted.', errorCode: 'CANCELLED' })
  const made = await services.contents.byJob(book.id, job.id)
  if (made && made.version <= book.version) {
    await discardAttempts(services, job)
    await announceEnd(services, job, { title: book.title, error: null })
    return lease.finish({ status: 'SUCCEEDED' })
  }
  if (job.attempts > maxAttempts) return fail(services, { book, job, lease, code: 'CRASHED' })
  try {
    await importBook(services, { book, original: book.original, job, lease })
  } catch (error) {
    await settle(services, { book, job, lease }, error)
  }
}

interface Run {
  book: Book
  job: Job
  lease: Lease
}

/** What becomes of a job whose run ended early. Throws what this worker could not cope with. */
async function settle(services: ImportServices, { book, job, lease }: Run, error: unknown): Promise<void> {
  const outOfReach = isStoreUnavailable(error) || isStoreFull(error)
  if (!(error instanceof ExtractionError) && !outOfReach) throw error
  if (lease.signal.aborted) return clear(services, book, job)
  if (error instanceof ExtractionError && error.code !== 'CANCELLED') {
    services.log.warn({ err: error, jobId: job.id, itemId: book.id }, 'import failed')
    return fail(services, { book, job, lease, code: error.code })
  }
  // This process stops, or the store and the files are out of reach: neither is the book's fault.
  await discardAttempts(services, job)
  await lease.giveBack(job.attempts - 1)
  if (outOfReach) throw error
}

/** The job is no longer this worker's: another one has it, it was cancelled, or the book was deleted. */
async function clear(services: ImportServices, book: Book, job: Job): Promise<void> {
  if (await isGone(services, book)) await services.contents.removeAll(book.id)
  else await discardAttempts(services, job)
}

interface Work extends Run {
  original: Original
}

async function importBook(services: ImportServices, { book, original, job, lease }: Work): Promise<void> {
  const { contents, files } = services
  const revision = revisionOf(job, job.attempts)
  const checkout = await files.checkout(original.storageKey, lease.signal)
  try {
    const { summary, bytes } = await extract(services, { book, path: checkout.path, revision, lease })
    const manifest = manifestOf({ book, job, revision }, summary, { bytes, at: services.now() })
    if (!(await lease.held())) throw new ExtractionError('CANCELLED', 'the job is no longer this worker’s')
    const version = await sealImport(services, book, manifest)
    const { sha256 } = checkout
    const twin = await services.books.sameFile(book.ownerId, { sha256, not: book.id })
    const set = { ...importedBook(book, summary, twin), version, original: { ...original, sha256 } }
    const at = services.now()
    // A job that was cancelled has ended the processing already.
    const published = await services.books.change(book.ownerId, book.id, {
      version: version - 1,
      status: book.status,
      jobId: job.id,
      set: { ...set, contentUpdatedAt: at, updatedAt: at },
    })
    if (!published && (await isGone(services, book))) await contents.removeAll(book.id)
    // Not before the version is sealed: a worker thought dead could still seal what is removed here.
    else await discardAttempts(services, job)
    if (published) await services.bookEvents.added(book)
    if (published) await announceEnd(services, job, { title: set.title ?? book.title, error: null })
    await lease.finish({ status: 'SUCCEEDED' })
  } finally {
    await checkout.release()
  }
}

/** Deleted in the meantime; the other reasons for a refused change are another worker's version and a cancelled job. */
async function isGone({ books }: ImportServices, { ownerId, id }: Book): Promise<boolean> {
  return (await books.owned(ownerId, [id])).length === 0
}

interface Source {
  book: Book
  path: string
  revision: string
  lease: Lease
}

async function extract(services: ImportServices, { book, path, revision, lease }: Source) {
  const { contents, extractor } = services
  let bytes = 0
  const summary = await extractor.extract(
    { path, sourceType: book.sourceType, signal: lease.signal },
    {
      onInfo: () => lease.report('reading', 0),
      async onPages(pages, firstPage) {
        bytes += pages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
        const stored = pages.map(({ content, label }) => ({ content, label }))
        await contents.write(book.id, revision, { first: firstPage - 1, pages: stored })
      },
      onProgress: (pages, pageCount) => lease.report('reading', pageCount ? Math.round((pages / pageCount) * 95) : 50),
    },
  )
  return { summary, bytes }
}

interface Made {
  book: Book
  job: Job
  revision: string
}

function manifestOf(
  { book, job, revision }: Made,
  { pageCount, toc, counts }: ExtractionSummary,
  { bytes, at }: { bytes: number; at: Date },
): Manifest {
  return {
    itemId: book.id,
    version: book.version + 1,
    segments: pageCount > 0 ? [{ revision, start: 0, count: pageCount }] : [],
    pageCount,
    bytes,
    words: counts.words,
    toc,
    createdAt: at,
    createdBy: job.accountId,
    client: null,
    reason: job.type,
    jobId: job.id,
  }
}

interface Failure extends Run {
  code: ExtractionErrorCode
}

/** Ends a job without a book, as long as it is this worker's. */
async function fail(services: ImportServices, { book, job, lease, code }: Failure): Promise<void> {
  if (!(await lease.held())) return
  const error = extractionMessages[code]
  await endProcessing(services, job, healthOfFailure(code))
  await announceEnd(services, job, { title: book.title, error })
  await lease.finish({ status: 'FAILED', error, errorCode: code })
}
