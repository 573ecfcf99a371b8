import { isBookKept } from '../../books/bin.ts'
import type { BinStores } from '../../books/bin-store.ts'
import type { Book } from '../../books/book.ts'
import { isComic } from '../../books/file-formats.ts'
import type { BookEventServices } from '../../books/events.ts'
import type { Log } from '../../core/context.ts'
import { newId } from '../../core/ids.ts'
import { FileStoreError, type FileStores } from '../../files/store.ts'
import { findFigureMarkers, formatFigureMarker } from '../../text/figure-markers.ts'
import { recountPage } from '../../text/page-counts.ts'
import { ExtractionError } from '../extract/extraction-error.ts'
import { refsByFilePage } from '../file-pages.ts'
import { publishRecognised, type PublishingStores } from './publish-recognised.ts'
import { discardUnused, revisionOf, revisionsOf } from '../recognised-pages.ts'
import type { ReadText, Recogniser } from './recogniser.ts'
import { startRecognitionLease, type RecognitionLease } from './recognition-lease.ts'
import type { Recognition, RecognitionStores } from './recognition-store.ts'
import { RecognitionError } from './run-tesseract.ts'
import { updateHealth } from './update-health.ts'

export interface RecognitionServices
  extends PublishingStores, RecognitionStores, BinStores, BookEventServices, FileStores {
  recogniser: Recogniser
  log: Log
  /** How long a worker may be silent before another one continues its book, ms. */
  leaseDurationMs: number
}

export interface RecognitionTimes {
  /** How long a book is read before the next account gets its turn, ms. */
  sliceMs: number
  /** How long recognised pages wait for their first version, ms; doubles with each version of the book. */
  publishAfterMs: number
}

/** Maximum number of workers that may die on a page before it is skipped. */
const maxAttempts = 3
/** Less certain text is left out, because it would mislead more than it helps. */
const minConfidence = 40
/** Maximum time between two versions of a book, ms. */
const maxPublishAfterMs = 10 * 60_000
/** Number of accounts that are considered for one turn. */
const maxAccounts = 100

/**
 * Recognises pages of the next book for one time slice. Accounts take turns. Returns false if nothing can be done: no
 * book waits, or the waiting ones are still being imported. Throws if the database or the file store is unavailable;
 * the book is then claimed again after its lease has expired.
 */
export async function runNextRecognition(
  services: RecognitionServices,
  times: RecognitionTimes,
  stop: AbortSignal,
): Promise<boolean> {
  const { turns, recognitions, now } = services
  for (const turn of await turns.listWaiting('ocr', maxAccounts)) {
    const at = now()
    const next = await recognitions.findNext(turn.accountId, at)
    if (!next) {
      await turns.leave(turn)
      continue
    }
    if (!(await turns.take(turn, { turn: newId(at), tookOldest: false }))) continue
    const fence = newId()
    const leaseUntil = new Date(at.getTime() + services.leaseDurationMs)
    const row = await recognitions.claim(next.itemId, { fence, now: at, leaseUntil })
    if (row && (await runClaimed({ services, times, stop }, row, fence))) return true
  }
  return false
}

interface Runner {
  services: RecognitionServices
  times: RecognitionTimes
  stop: AbortSignal
}

/** Runs a claimed recognition; returns false if the book cannot be read yet. */
async function runClaimed(runner: Runner, row: Recognition, fence: string): Promise<boolean> {
  const { services, stop } = runner
  const lease = startRecognitionLease(services, { ...row, fence, stop })
  try {
    const [book] = await services.books.findOwned(row.accountId, [row.itemId])
    if (!book?.original || (book.status === 'FAILED' && book.version === 0)) {
      await abandon(services, row)
      return true
    }
    // Its import has not published it yet.
    if (book.version === 0) {
      await release(services, lease, { attempts: row.attempts - 1 })
      return false
    }
    await readSlice(runner, { row, book, lease })
    return true
  } finally {
    await lease.stopHeartbeat()
  }
}

/** Removes the remains of a recognition whose book is gone or was never published. */
async function abandon(services: RecognitionServices, row: Recognition): Promise<void> {
  if (await isBookKept(services, { id: row.itemId })) await discardUnused(services, row.itemId, allRevisions(row))
  else await services.contents.removeBook(row.itemId)
  await services.recognitions.removeByItem(row.itemId)
}

/**
 * Removes what a worker has stored for a book that was deleted in the meantime; the next recognition removes what was
 * replaced.
 */
async function cleanUpLost(services: RecognitionServices, row: Recognition): Promise<void> {
  if ((await services.recognitions.byItem(row.accountId, row.itemId)) === null) await abandon(services, row)
}

function allRevisions(row: Recognition): string[] {
  return [...row.stale, ...revisionsOf(row)]
}

/** Releases the book for the next turn of its account. */
async function release(
  { turns }: RecognitionServices,
  lease: RecognitionLease,
  change: Partial<Recognition>,
): Promise<void> {
  const accountId = await lease.change({ ...change, status: 'WAITING', fence: null, leaseUntil: null })
  if (accountId !== null) await turns.join(accountId, 'ocr')
}

interface Claimed {
  row: Recognition
  book: Book
  lease: RecognitionLease
}

/** Recognises pages until the slice is over, the worker stops, or another worker has the book. */
async function readSlice(runner: Runner, { row: claimed, book, lease }: Claimed): Promise<void> {
  const { services, times, stop } = runner
  let endsAt = performance.now() + times.sliceMs
  let row: Recognition = claimed
  const save = async (change: Partial<Recognition>) => {
    row = { ...row, ...change }
    return (await lease.change(change)) !== null
  }
  while (row.waiting.length > 0 && row.stopped === null) {
    const change = await readNextPage(services, { row, book, lease })
    if (!change) return stop.aborted ? release(services, lease, { attempts: 0 }) : undefined
    if (!(await save(change))) return cleanUpLost(services, row)
    if (isPublicationDue(row, { at: services.now(), times }) && !(await publish(services, row, save))) return
    const isOver = performance.now() > endsAt
    if (row.waiting.length > 0 && (stop.aborted || (isOver && (await isAnotherWaiting(services, row)))))
      return release(services, lease, {})
    if (isOver) endsAt = performance.now() + times.sliceMs
  }
  if (!(await publish(services, row, save))) return
  if (row.pending.length > 0) return release(services, lease, { attempts: 0 })
  await finish(services, row, save)
}

/** True if another account waits for its turn. */
async function isAnotherWaiting({ turns }: RecognitionServices, { accountId }: Recognition): Promise<boolean> {
  return (await turns.listWaiting('ocr', 2)).some((turn) => turn.accountId !== accountId)
}

function isPublicationDue(
  { pending, publications, publishedAt }: Recognition,
  { at, times }: { at: Date; times: RecognitionTimes },
): boolean {
  const waitMs = Math.min(maxPublishAfterMs, times.publishAfterMs * 2 ** Math.min(publications, 20))
  return pending.length > 0 && at.getTime() - publishedAt.getTime() >= waitMs
}

type Save = (change: Partial<Recognition>) => Promise<boolean>

/** Publishes the pages recognised so far; returns false if this worker no longer has the book. */
async function publish(services: RecognitionServices, row: Recognition, save: Save): Promise<boolean> {
  if (row.pending.length === 0) return true
  // Checked first: pages of a replaced recognition must not be published after those of its successor.
  if (!(await save({ updatedAt: services.now() }))) return false
  const outcome = await publishRecognised(services, row)
  if (outcome === 'busy') return true
  const stopped = outcome === 'full' ? ('STORAGE_FULL' as const) : null
  const publications = row.publications + (outcome === 'published' ? 1 : 0)
  const saved = await save({ pending: [], publications, publishedAt: services.now(), stopped })
  const rest = { done: row.done, total: row.total }
  if (saved && outcome === 'published') await updateHealth(services, row, { state: 'pending', ...rest })
  return saved
}

/** Ends a recognition and removes everything that versions do not use. Each step is idempotent. */
async function finish(services: RecognitionServices, row: Recognition, save: Save): Promise<void> {
  await discardUnused(services, row.itemId, allRevisions(row))
  await updateHealth(services, row, { state: 'done', skipped: row.skipped, stopped: row.stopped })
  await services.bookEvents.added({ id: row.itemId, ownerId: row.accountId })
  await save({ status: 'DONE', waiting: [], garbled: [], stale: [], leaseUntil: null })
}

/** Recognises the next page and stores its text; null if the worker stops or has lost the book. */
async function readNextPage(
  services: RecognitionServices,
  { row, book, lease }: Claimed,
): Promise<Partial<Recognition> | null> {
  const [page = 0, ...waiting] = row.waiting
  const passed = { waiting, done: row.done + 1, attempts: 0, updatedAt: services.now() }
  if (row.attempts > maxAttempts) return passed
  const manifest = await services.contents.getManifest(book.id, book.version)
  const ref = manifest && refsByFilePage(manifest).get(page)
  const [stored] = ref ? await services.contents.passPages([ref]) : []
  // Rewritten in the meantime.
  if (!stored || !book.original) return passed
  const { storageKey, bytes } = book.original
  const file = { name: storageKey, bytes, read: () => services.files.read(storageKey) }
  const sourceType = isComic(book) ? ('comic' as const) : ('pdf' as const)
  const asked = { file, sourceType, accountId: row.accountId, page, language: row.language, named: book.language }
  const text = await read(services, row, { ...asked, signal: lease.signal })
  if (text === 'interrupted') return null
  if (text === null || text.words === 0 || text.confidence < minConfidence) return passed
  const revision = revisionOf(row)
  const { confidence: ocr } = text
  const content = isComic(book) ? withFigures(stored.content, text.content) : text.content
  await services.contents.writePages(book.id, revision, {
    first: page - 1,
    pages: [{ content, label: stored.label, ocr }],
  })
  const isGarbled = row.garbled.includes(page)
  const wasRead = stored.ocr !== undefined
  const before = { content: stored.content, picture: !isGarbled && !wasRead, garbled: isGarbled && !wasRead ? 1 : 0 }
  return {
    ...passed,
    pending: [...row.pending.filter((other) => other.page !== page), { page, revision }],
    recognised: row.recognised + 1,
    language: row.language ?? text.language,
    counts: recountPage(row.counts, { before, after: { content, picture: false, garbled: 0 } }),
  }
}

/** The text of a page after the figures that it already had. */
function withFigures(before: string, text: string): string {
  return [...findFigureMarkers(before).map(formatFigureMarker), text].join('\n\n')
}

/** Recognises a page; null if it cannot be read. */
async function read(
  { recogniser, log }: RecognitionServices,
  { itemId }: Recognition,
  page: Parameters<Recogniser['read']>[0],
): Promise<ReadText | 'interrupted' | null> {
  try {
    return await recogniser.read(page)
  } catch (error) {
    if (page.signal?.aborted) return 'interrupted'
    const isMissing = error instanceof FileStoreError && error.code === 'NOT_FOUND'
    if (!(error instanceof RecognitionError) && !(error instanceof ExtractionError) && !isMissing) throw error
    log.warn({ err: error, itemId, page: page.page }, 'a page could not be recognised')
    return null
  }
}
