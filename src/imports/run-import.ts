import type { Book, OriginalFile } from '../books/book.ts'
import { formatOfBook } from '../books/file-formats.ts'
import type { Log, Clock } from '../core/context.ts'
import { isStoreFull, isStoreUnavailable } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { AccountStores } from '../accounts/store.ts'
import { planOfOwner, storageUse } from '../books/storage-limit.ts'
import type { Plan } from '../core/plan.ts'
import { ContentDigest, hasSameContent } from './content-digest.ts'
import { maxTextBytes, requireTextWithin } from './text-limit.ts'
import { discardAttemptPages, endProcessing, attemptRevision } from './end-processing.ts'
import { retryWithoutFigures, type FigureReading } from './retry-without-figures.ts'
import { sealImport } from './seal-import.ts'
import { notifyImportEnded } from './notify-import-ended.ts'
import { buildManifest } from './import-manifest.ts'
import { hideEarlierAttempt, showPages } from './show-pages.ts'
import { ExtractionError, extractionMessages, type ExtractionErrorCode } from './extract/extraction-error.ts'
import type { Extractor } from './extract/extractor.ts'
import { failedHealth } from './assess-health.ts'
import { buildImportedBook } from './build-imported-book.ts'
import { claimNextJob } from './claim-next-job.ts'
import type { Place } from './lane.ts'
import type { ImportPasswords } from './import-passwords.ts'
import { startLease, type Lease } from './lease.ts'
import { collectPagesToRecognise, type OcrServices } from './pages-to-recognise.ts'
import type { Job, JobStores } from './store.ts'
import { isBookKept } from '../books/bin.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { FileStores } from '../files/store.ts'
import type { PublicationStores } from '../books/publication.ts'
import type { BookEventServices } from '../books/events.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { WriteStores } from '../writing/store.ts'

export interface ImportServices
  extends
    Clock,
    JobStores,
    OcrServices,
    AccountStores,
    PlanServices,
    BookStores,
    BinStores,
    ContentStores,
    FileStores,
    BookEventServices,
    NotificationStores,
    PublicationStores,
    WriteStores {
  extractor: Extractor
  importPasswords: ImportPasswords
  log: Log
  /** How long a worker may be silent before another one takes over its job, ms. */
  leaseDurationMs: number
}

/** Number of dead workers after which a job fails with CRASHED. */
const maxAttempts = 5

/**
 * Runs one import or reprocessing job to its end. Safe to call for any job at any time: it skips a job that another
 * worker has or that has ended, and removes or completes the remains of an earlier attempt. Throws only if the database
 * or the file store is unavailable; the job is then retried later.
 */
export async function runImport(services: ImportServices, jobId: string): Promise<void> {
  const { jobs, now, leaseDurationMs } = services
  const fence = newId()
  const at = now()
  const job = await jobs.claim(jobId, { fence, now: at, leaseUntil: new Date(at.getTime() + leaseDurationMs) })
  if (job) await runClaimedJob(services, job, fence)
}

/**
 * Runs the next import of a place and returns its job; null if none waits. Calls `onStart` when it begins. Throws like
 * `runImport`.
 */
export async function runNextImport(
  services: ImportServices,
  place: Place,
  onStart: () => void = () => undefined,
): Promise<string | null> {
  const fence = newId()
  const job = await claimNextJob(services, place, { fence, leaseDurationMs: services.leaseDurationMs })
  if (job) onStart()
  if (job) await runClaimedJob(services, job, fence)
  return job && job.id
}

async function runClaimedJob(services: ImportServices, job: Job, fence: string): Promise<void> {
  const lease = startLease(services, { jobId: job.id, fence })
  try {
    await runAttempt(services, job, lease)
  } finally {
    await lease.stopHeartbeat()
  }
}

async function runAttempt(services: ImportServices, job: Job, lease: Lease): Promise<void> {
  const [book] = await services.books.findOwned(job.accountId, [job.itemId])
  if (!book?.original)
    return lease.endJob({ status: 'CANCELLED', error: 'The book was deleted.', errorCode: 'CANCELLED' })
  const existingVersion = await services.contents.findByJobId(book.id, job.id)
  if (existingVersion && existingVersion.version <= book.version) {
    await discardAttemptPages(services, job)
    await notifyImportEnded(services, job, { title: book.title, error: null })
    return lease.endJob({ status: 'SUCCEEDED' })
  }
  if (job.attempts > maxAttempts) return failJob(services, { book, job, lease, code: 'CRASHED' })
  try {
    await importBook(services, { book, original: book.original, job, lease })
  } catch (error) {
    await handleRunError(services, { book, job, lease }, error)
  }
}

interface JobRun {
  book: Book
  job: Job
  lease: Lease
}

/** Ends or releases a job whose run failed. Rethrows errors that are not about the book. */
async function handleRunError(services: ImportServices, { book, job, lease }: JobRun, error: unknown): Promise<void> {
  const isStorageFailure = isStoreUnavailable(error) || isStoreFull(error)
  if (!(error instanceof ExtractionError) && !isStorageFailure) throw error
  if (lease.signal.aborted) return discardLostRun(services, book, job)
  if (error instanceof ExtractionError && error.code !== 'CANCELLED') {
    services.log.warn({ err: error, jobId: job.id, itemId: book.id }, 'import failed')
    return failJob(services, { book, job, lease, code: error.code })
  }
  // This process is stopping, or the database or file store is unavailable: the attempt does not count.
  await discardAttemptPages(services, job)
  await lease.releaseJob(job.attempts - 1)
  if (isStorageFailure) throw error
}

/** Cleans up after the job was taken over by another worker or cancelled, or the book was deleted. */
async function discardLostRun(services: ImportServices, book: Book, job: Job): Promise<void> {
  if (await isBookErased(services, book)) await services.contents.removeBook(book.id)
  else await discardAttemptPages(services, job)
}

interface ImportInput extends JobRun {
  original: OriginalFile
}

async function importBook(services: ImportServices, { book, original, job, lease }: ImportInput): Promise<void> {
  const { contents, files } = services
  const revision = attemptRevision(job, job.attempts)
  await hideEarlierAttempt(services, book, job)
  const checkout = await files.checkout(original.storageKey, lease.signal)
  try {
    const plan = await planOfOwner(services, book.ownerId)
    const limit = maxTextBytes(original.bytes, plan)
    const password = services.importPasswords.open(job.sealedPassword, job.id)
    const input = { book, path: checkout.path, password, job, lease, limit }
    const { summary, toRecognise, ...text } = await extract(services, input)
    const manifest = buildManifest({ book, job, revision }, summary, { bytes: text.bytes, at: services.now() })
    const isUnchanged = await hasContent(services, book, { ...manifest, digest: text.digest })
    if (!isUnchanged) await requireRoom(services, book, { plan, bytes: manifest.ownBytes })
    if (!(await lease.isHeld()))
      throw new ExtractionError('CANCELLED', 'another worker has the job, or it was cancelled')
    // An unchanged text makes no new version, so nothing is stored twice.
    const version = isUnchanged ? book.version : await sealImport(services, book, manifest)
    const { sha256 } = checkout
    const duplicate = await services.books.findDuplicateFile(book.ownerId, { sha256, excludeId: book.id })
    // Planned before publishing, because recognition waits for the published book. So nothing is lost if this process
    // dies in between.
    await toRecognise.plan(summary.counts)
    const imported = buildImportedBook(book, summary, duplicate)
    const set = { ...imported, version, unfinished: null, original: { ...original, sha256 } }
    const at = services.now()
    // Not published if a cancellation has already ended the processing.
    const published = await services.books.change(book.ownerId, book.id, {
      version: isUnchanged ? version : version - 1,
      status: book.status,
      jobId: job.id,
      set: { ...set, ...(isUnchanged ? {} : { contentUpdatedAt: at }), updatedAt: at },
      addStoredBytes: isUnchanged || book.storedBytes === undefined ? undefined : manifest.ownBytes,
    })
    if (!published && (await isBookErased(services, book))) await contents.removeBook(book.id)
    // Only after sealing: a worker wrongly considered dead could otherwise seal pages that are removed here.
    else await discardAttemptPages(services, job)
    if (published) await services.bookEvents.added(book)
    if (published) await notifyImportEnded(services, job, { title: set.title ?? book.title, error: null })
    await lease.endJob({ status: 'SUCCEEDED' })
  } finally {
    await checkout.release()
  }
}

/** Whether the current version of a book has the imported pages and table of contents. */
async function hasContent(
  services: ImportServices,
  { id, version }: Book,
  imported: Manifest & { digest: string },
): Promise<boolean> {
  const current = version > 0 ? await services.contents.getManifest(id, version) : null
  return current !== null && hasSameContent(services, current, imported)
}

/** Throws STORAGE_FULL if the plan of the owner has no room for a new version. */
async function requireRoom(
  services: ImportServices,
  { ownerId }: Book,
  { plan, bytes }: { plan: Plan | null; bytes: number },
): Promise<void> {
  const use = plan && (await storageUse(services, ownerId, plan))
  if (use && use.usedBytes + bytes > use.limitBytes)
    throw new ExtractionError('STORAGE_FULL', `${use.usedBytes} bytes are stored, ${bytes} more do not fit`)
}

/** True if nothing of a book is kept. A change also fails after another worker's version or a cancellation. */
async function isBookErased(services: ImportServices, book: Book): Promise<boolean> {
  return !(await isBookKept(services, book))
}

interface ExtractionInput {
  book: Book
  path: string
  password: string | null
  job: Job
  lease: Lease
  /** Maximum size of the text of the file, bytes. */
  limit: number
}

function extract(services: ImportServices, input: ExtractionInput) {
  return retryWithoutFigures(services, { ...input, signal: input.lease.signal }, (figures) =>
    extractOnce(services, input, figures),
  )
}

async function extractOnce(services: ImportServices, input: ExtractionInput, figures: FigureReading) {
  const { book, path, password, job, lease, limit } = input
  const toRecognise = collectPagesToRecognise(services, book)
  const { contents, extractor } = services
  const revision = attemptRevision(job, job.attempts)
  const show = showPages(services, { book, job })
  const digest = new ContentDigest()
  let bytes = 0
  let total: number | null = null
  const extracted = await extractor.extract(
    { path, sourceType: formatOfBook(book), password, accountId: book.ownerId, signal: lease.signal },
    {
      onInfo(_, pageCount) {
        total = pageCount
        lease.report('reading', 0)
      },
      async onPages(pages, firstPage, words) {
        const stored = await toRecognise.take(pages, firstPage)
        bytes += stored.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
        requireTextWithin(bytes, limit)
        digest.add(stored)
        await contents.writePages(book.id, revision, { first: firstPage - 1, pages: stored })
        await show({ pages: firstPage - 1 + pages.length, bytes, words, total })
      },
      ...(figures === 'with figures' ? { onFigure: (figure) => contents.figures.keep(book.id, revision, figure) } : {}),
      onProgress: (done) =>
        lease.report('reading', total ? Math.round((done / total) * 95) : 50, { done, total: total || null }),
    },
  )
  const counts = toRecognise.recount(extracted.counts)
  const summary = { ...extracted, counts, ocr: toRecognise.outlook(), figuresLeftOut: figures === 'figures left out' }
  return { summary, toRecognise, bytes, digest: digest.end() }
}

interface FailedRun extends JobRun {
  code: ExtractionErrorCode
}

/** Fails a job, if it still belongs to this worker. */
async function failJob(services: ImportServices, { book, job, lease, code }: FailedRun): Promise<void> {
  if (!(await lease.isHeld())) return
  const error = extractionMessages[code]
  await endProcessing(services, job, failedHealth(code))
  await notifyImportEnded(services, job, { title: book.title, error })
  await lease.endJob({ status: 'FAILED', error, errorCode: code })
}
