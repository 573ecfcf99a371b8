import { markRemoving } from '../books/mark-removing.ts'
import { emptyBins, isBookKept, reconcileAccountDeletions } from '../books/bin.ts'
import { endReturns } from '../books/return-book.ts'
import { completeSlotChange } from '../books/complete-slot-change.ts'
import { fileFolders, removeBook } from '../books/remove-book.ts'
import { systemOwner, type Book } from '../books/book.ts'
import { eraseClosedAccounts } from './erase-account.ts'
import type { Account, PendingSlotChange } from '../core/account.ts'
import { reconcileGaps } from '../gaps/reconcile-gaps.ts'
import { completeIdleSessions } from '../research/sessions.ts'
import { refreshStaleListings } from '../marketplace/refresh-stale-listings.ts'
import { reconcileSubscription } from '../marketplace/reconcile-subscription.ts'
import { isPendingSubscription } from '../marketplace/subscription-slot-store.ts'
import { reconcileManuscriptSlots } from '../manuscripts/manuscript-slots.ts'
import { clearDeletedShelves } from '../shelves/delete-shelf.ts'
import { reconcileManuscriptShares } from '../manuscripts/share-with-team.ts'
import { reconcileTeams } from '../teams/reconcile-teams.ts'
import { refreshStaleIndex } from '../search/index/refresh-stale-index.ts'
import { figureOwner } from '../reading/figure-files.ts'
import { expireDrafts } from '../writing/expire-drafts.ts'
import { reconcileWrites } from '../writing/reconcile-writes.ts'
import type { MaintenanceServices } from './stores.ts'
import { cleanUpPictures } from '../imports/pictures/clean-up-pictures.ts'
import { joinRounds, orderJob, queueJob } from '../imports/queue-job.ts'
import { endProcessing } from '../imports/end-processing.ts'

const reconcileAfterMs = 5 * 60 * 1000
const repairAfterMs = 2000
const stuckAfterMs = 15 * 60 * 1000
const draftTtlMs = 24 * 60 * 60 * 1000

/**
 * Repairs the effects of crashes and broken connections: jobs without a worker, books without a job, pending slots and
 * marks, outdated listings and index entries.
 */
export function sweep(services: MaintenanceServices): Promise<void> {
  return runSteps(
    [
      resumeJobs,
      repairBooks,
      reconcileSlots,
      reconcileDeletions,
      reconcileManuscripts,
      clearShelves,
      reconcileReaderRequests,
      reconcileMemberships,
      refreshStaleListings,
      refreshStaleIndex,
    ],
    services,
  )
}

/** Removes expired data: old reservations, orphaned files, idle sessions, accounts whose grace period has ended. */
export function cleanUp(services: MaintenanceServices): Promise<void> {
  return runSteps(
    [
      removeExpiredDrafts,
      removeAbandonedUploads,
      endIdleSessions,
      reconcileWrites,
      emptyBins,
      expireDrafts,
      eraseClosedAccounts,
      cleanUpPictures,
      removeStrayFigures,
      removeStrayCovers,
    ],
    services,
  )
}

async function runSteps(
  steps: readonly ((services: MaintenanceServices) => Promise<void>)[],
  services: MaintenanceServices,
): Promise<void> {
  for (const step of steps) {
    try {
      await step(services)
    } catch (err) {
      services.log.warn({ err, step: step.name }, 'sweep step failed')
      // The other steps would wait as long, and fail too.
      if (err instanceof Error && err.name === 'MongoServerSelectionError') return
    }
  }
}

/**
 * Gives all accounts with waiting jobs their turns, and the queue an entry for each of the newest jobs. An entry is a permit for any job, so
 * these suffice for all workers.
 */
async function resumeJobs(services: MaintenanceServices): Promise<void> {
  const at = services.now()
  for (const { accountId, lane } of await services.jobs.listClaimableAccounts(at))
    await joinRounds(services, accountId, lane)
  for (const job of await services.jobs.listClaimable(at)) {
    const lane = job.lane ?? (await orderJob(services, job))
    if (!job.lane) await joinRounds(services, job.accountId, lane)
    await services.queue.enqueue({ id: job.id, lane })
  }
}

/** Gives each book in PROCESSING a new job if a crash occurred before its job was stored. */
async function repairBooks(services: MaintenanceServices): Promise<void> {
  const { books, jobs, now } = services
  const at = now().getTime()
  for (const book of await books.listInStatus('PROCESSING', new Date(at - repairAfterMs))) {
    const { ownerId: accountId, jobId } = book
    if (jobId === null) continue
    const job = await jobs.byId(accountId, jobId)
    if (!job) {
      await queueJob(services, book, { id: jobId, type: book.version > 0 ? 'reprocess' : 'import' })
    } else if (job.status === 'CANCELLED' || job.status === 'FAILED') {
      await endProcessing(services, job, { health: 'failed', healthReason: job.error })
    } else if (job.updatedAt.getTime() < at - stuckAfterMs) {
      await markStuck(services, book)
    }
  }
}

async function markStuck({ books }: MaintenanceServices, book: Book): Promise<void> {
  if (book.health === 'stuck') return
  const healthReason =
    'The import has reported no progress for 15 minutes. It resumes automatically when a worker is free.'
  await books.change(book.ownerId, book.id, { status: 'PROCESSING', set: { health: 'stuck', healthReason } })
}

async function reconcileSlots(services: MaintenanceServices): Promise<void> {
  const before = new Date(services.now().getTime() - reconcileAfterMs)
  for await (const account of services.accounts.listStalePending(before))
    await reconcileAccountSlots(services, account, before)
}

async function reconcileAccountSlots(services: MaintenanceServices, account: Account, before: Date): Promise<void> {
  for (const slot of account.pending) {
    if (slot.at >= before) continue
    if (isPendingSubscription(slot)) {
      await reconcileSubscription(services, account.id, slot)
      continue
    }
    if (!(await completeSlotChange(services, account.id, slot))) await releaseUnusedSlot(services, account.id, slot)
  }
}

/** Releases a slot that was taken for a book that a crash kept from being created, or from returning from the bin. */
async function releaseUnusedSlot(
  services: MaintenanceServices,
  ownerId: string,
  slot: PendingSlotChange,
): Promise<void> {
  const { id, itemId } = slot
  const isReturn = id !== itemId || (await services.bin.find(ownerId, itemId)) !== null
  if (isReturn) await services.accounts.releaseSlot(ownerId, slot)
  // The book was never created: removes what remains of it, too, unless its call has just confirmed its slot.
  else if (await services.accounts.giveUpSlot(ownerId, slot)) await removeBook(services, { ownerId, id: itemId }, id)
}

async function reconcileDeletions(services: MaintenanceServices): Promise<void> {
  await reconcileAccountDeletions(services, new Date(services.now().getTime() - reconcileAfterMs))
  await endReturns(services)
}

function reconcileManuscripts(services: MaintenanceServices): Promise<void> {
  return reconcileManuscriptSlots(services, new Date(services.now().getTime() - reconcileAfterMs))
}

function clearShelves(services: MaintenanceServices): Promise<void> {
  return clearDeletedShelves(services, new Date(services.now().getTime() - reconcileAfterMs))
}

async function reconcileMemberships(services: MaintenanceServices): Promise<void> {
  const before = new Date(services.now().getTime() - reconcileAfterMs)
  await reconcileTeams(services, before)
  await reconcileManuscriptShares(services, before)
}

function reconcileReaderRequests(services: MaintenanceServices): Promise<void> {
  return reconcileGaps(services, new Date(services.now().getTime() - reconcileAfterMs))
}

/** Removes reservations older than a day with their slots. */
async function removeExpiredDrafts(services: MaintenanceServices): Promise<void> {
  const { books, now } = services
  const expired = {
    status: 'FAILED' as const,
    health: 'failed' as const,
    healthReason: 'The upload was not completed within a day.',
  }
  for (const { id, ownerId } of await books.listInStatus('DRAFT', new Date(now().getTime() - draftTtlMs))) {
    // Skips a reservation that was confirmed in the meantime.
    if (!(await books.change(ownerId, id, { set: expired, status: 'DRAFT' }))) continue
    const mark = ownerId === systemOwner ? null : await markRemoving(services, ownerId, { itemIds: [id] })
    await removeBook(services, { ownerId, id }, mark?.markId ?? null)
  }
}

async function endIdleSessions(services: MaintenanceServices): Promise<void> {
  await completeIdleSessions(services, null)
}

/** Removes figures that an import stored after its book was erased. */
async function removeStrayFigures({ contents, files, books, bin, now }: MaintenanceServices): Promise<void> {
  const before = new Date(now().getTime() - draftTtlMs)
  let lastItemId = ''
  for await (const { key, modifiedAt } of files.list(`${fileFolders.figures}/`)) {
    const { itemId } = figureOwner(key)
    if (itemId === lastItemId || modifiedAt >= before) continue
    lastItemId = itemId
    if (!(await isBookKept({ books, bin }, { id: itemId }))) await contents.figures.removeBook(itemId)
  }
}

/** Removes covers without a book: of books that have been erased, and of interrupted uploads. */
async function removeStrayCovers({ files, books, bin, now }: MaintenanceServices): Promise<void> {
  const before = new Date(now().getTime() - draftTtlMs)
  for await (const { key, modifiedAt } of files.list(`${fileFolders.covers}/`)) {
    const id = key.split('/')[1] ?? ''
    if (modifiedAt >= before) continue
    const [book] = await books.byIds([id])
    const isUsed = book ? book.ownCover?.storageKey === key : await isBookKept({ books, bin }, { id })
    if (!isUsed) await files.delete(key)
  }
}

/** Removes incoming files older than their reservation, and abandoned temporary files. */
async function removeAbandonedUploads({ files, now }: MaintenanceServices): Promise<void> {
  const before = new Date(now().getTime() - draftTtlMs)
  await files.removeStaleTempFiles(before)
  for await (const { key, modifiedAt } of files.list(`${fileFolders.incoming}/`)) {
    if (modifiedAt < before) await files.delete(key)
  }
}
