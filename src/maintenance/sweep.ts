import { announceRemoval } from '../books/mark-removing.ts'
import { fileFolders, removeBook } from '../books/remove-book.ts'
import { systemOwner, type Book } from '../books/book.ts'
import { eraseClosedAccounts } from './erase-account.ts'
import type { Account } from '../core/account.ts'
import { settleGaps } from '../gaps/reconcile-gaps.ts'
import { completeIdle } from '../research/sessions.ts'
import { tendListings } from '../marketplace/refresh-listing.ts'
import { settleSubscription } from '../marketplace/reconcile-subscription.ts'
import { isPendingSubscription } from '../marketplace/subscription-slot-store.ts'
import { settleManuscriptSlots } from '../manuscripts/manuscript-slots.ts'
import { clearDeletedShelves } from '../shelves/delete-shelf.ts'
import { settleManuscriptShares } from '../manuscripts/share-with-team.ts'
import { settleTeams } from '../teams/reconcile-teams.ts'
import { tendIndex } from '../search/refresh-stale-index.ts'
import { settleWrites } from '../writing/reconcile-writes.ts'
import type { MaintenanceServices } from './stores.ts'
import { addJob } from '../imports/confirm-upload.ts'
import { endProcessing } from '../imports/end-processing.ts'

const settleAfterMs = 5 * 60 * 1000
const repairAfterMs = 2000
const stuckAfterMs = 15 * 60 * 1000
const draftMs = 24 * 60 * 60 * 1000

/** Finishes what crashes and broken connections left: jobs without a worker, books without a job, slots in between. */
export function sweep(services: MaintenanceServices): Promise<void> {
  return take(
    [
      resumeJobs,
      repairBooks,
      settleSlots,
      settleManuscripts,
      clearShelves,
      settleRequests,
      settleMemberships,
      tendListings,
      tendIndex,
    ],
    services,
  )
}

/** Removes what nobody will come back for: old reservations, files that belong to none, accounts after their grace. */
export function tidy(services: MaintenanceServices): Promise<void> {
  return take(
    [dropDrafts, dropLeftovers, endIdleSessions, settleWrites, eraseClosedAccounts, hashClearSecrets],
    services,
  )
}

async function take(
  steps: readonly ((services: MaintenanceServices) => Promise<void>)[],
  services: MaintenanceServices,
): Promise<void> {
  for (const step of steps) {
    try {
      await step(services)
    } catch (err) {
      services.log.warn({ err, step: step.name }, 'sweep step failed')
    }
  }
}

async function resumeJobs({ jobs, queue, now }: MaintenanceServices): Promise<void> {
  for (const { id } of await jobs.unfinished(now())) await queue.enqueue(id)
}

/** Every book that is being processed has a job: one is made where a crash came between the two. */
async function repairBooks(services: MaintenanceServices): Promise<void> {
  const { books, jobs, queue, now } = services
  const at = now().getTime()
  for (const book of await books.inStatus('PROCESSING', new Date(at - repairAfterMs))) {
    const { id: itemId, ownerId: accountId, jobId } = book
    if (jobId === null) continue
    const job = await jobs.byId(accountId, jobId)
    if (!job) {
      await addJob(services, { id: jobId, itemId, accountId, type: book.version > 0 ? 'reprocess' : 'import' })
      await queue.enqueue(jobId)
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
    'The import has shown no sign of life for 15 minutes; it is taken up again by itself when a worker is free.'
  await books.change(book.ownerId, book.id, { status: 'PROCESSING', set: { health: 'stuck', healthReason } })
}

async function settleSlots(services: MaintenanceServices): Promise<void> {
  const before = new Date(services.now().getTime() - settleAfterMs)
  for await (const account of services.accounts.unsettled(before)) await settle(services, account, before)
}

async function settle(services: MaintenanceServices, account: Account, before: Date): Promise<void> {
  for (const slot of account.pending) {
    if (slot.at >= before) continue
    if (isPendingSubscription(slot)) {
      await settleSubscription(services, account.id, slot)
      continue
    }
    const { itemId, change } = slot
    const [book] = await services.books.owned(account.id, [itemId])
    if (change === 'take' && book) await services.accounts.settleSlot(account.id, itemId)
    // The book did not come to be, or is to go: clear whatever there is of it and give the slot back.
    else await removeBook(services, account.id, itemId)
  }
}

function settleManuscripts(services: MaintenanceServices): Promise<void> {
  return settleManuscriptSlots(services, new Date(services.now().getTime() - settleAfterMs))
}

function clearShelves(services: MaintenanceServices): Promise<void> {
  return clearDeletedShelves(services, new Date(services.now().getTime() - settleAfterMs))
}

async function settleMemberships(services: MaintenanceServices): Promise<void> {
  const before = new Date(services.now().getTime() - settleAfterMs)
  await settleTeams(services, before)
  await settleManuscriptShares(services, before)
}

function settleRequests(services: MaintenanceServices): Promise<void> {
  return settleGaps(services, new Date(services.now().getTime() - settleAfterMs))
}

/** A reservation holds its slot for a day. */
async function dropDrafts(services: MaintenanceServices): Promise<void> {
  const { books, now } = services
  const expired = { status: 'FAILED' as const, health: 'failed' as const, healthReason: 'The upload never came.' }
  for (const { id, ownerId } of await books.inStatus('DRAFT', new Date(now().getTime() - draftMs))) {
    // One that is confirmed at this moment is no longer a draft, and stays.
    if (!(await books.change(ownerId, id, { set: expired, status: 'DRAFT' }))) continue
    if (ownerId !== systemOwner) await announceRemoval(services, ownerId, [id])
    await removeBook(services, ownerId, id)
  }
}

/** Secrets of clients that were registered before hashes were kept. */
async function hashClearSecrets({ oauth }: MaintenanceServices): Promise<void> {
  await oauth.hashClearSecrets()
}

async function endIdleSessions(services: MaintenanceServices): Promise<void> {
  await completeIdle(services, null)
}

/** A file that waits longer than its reservation could came too late, or its connection broke. */
async function dropLeftovers({ files, now }: MaintenanceServices): Promise<void> {
  const before = new Date(now().getTime() - draftMs)
  await files.sweep(before)
  for await (const { key, modifiedAt } of files.list(`${fileFolders.incoming}/`)) {
    if (modifiedAt < before) await files.delete(key)
  }
}
