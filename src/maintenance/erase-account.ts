import type { MaintenanceServices, MaintenanceStores } from './stores.ts'
import { removeLibrary } from './remove-library.ts'
import { endSubscriptionsOfAccount } from '../marketplace/remove-listing.ts'
import { erasureGraceMs } from '../accounts/closure-store.ts'
import { eraseMemberships } from '../teams/erase-memberships.ts'
import type { Account } from '../core/account.ts'

/**
 * Erasure steps in order: credentials first, then books, then the rest. Each step is idempotent, so it can be repeated
 * after a crash. A domain that stores data of an account adds its step here.
 */
const erasureSteps: readonly ((stores: MaintenanceStores, account: Account) => Promise<unknown>)[] = [
  ({ accounts }, { id }) => accounts.removeKeys(id),
  ({ webSessions }, { id }) => webSessions.endAll(id),
  ({ tickets }, { id }) => tickets.removeAccount(id),
  ({ oauth }, { id }) => oauth.removeAccount(id),
  eraseMemberships,
  (services, { id }) => endSubscriptionsOfAccount(services, id),
  removeBooks,
  ({ embeddings }, { id }) => embeddings.removeOwner(id),
  ({ books }, { id }) => books.removeCounts(id),
  ({ turns }, { id }) => turns.removeAccount(id),
  ({ contents }, { id }) => contents.anonymizeAuthor(id),
  ({ placements }, { id }) => placements.removeAccount(id),
  ({ shelves }, { id }) => shelves.removeAccount(id),
  ({ manuscripts }, { id }) => manuscripts.removeAccount(id),
  ({ manuscriptSlots }, { id }) => manuscriptSlots.removeAccount(id),
  ({ sessions }, { id }) => sessions.removeAccount(id),
  ({ sessionQuota }, { id }) => sessionQuota.removeAccount(id),
  ({ readLog }, { id }) => readLog.removeAccount(id),
  ({ drafts }, { id }) => drafts.removeAccount(id),
  ({ lastReads }, { id }) => lastReads.removeAccount(id),
  ({ readingPositions }, { id }) => readingPositions.removeAccount(id),
  ({ readMeter }, { id }) => readMeter.removeAccount(id),
  ({ settings }, { id }) => settings.removeAccount(id),
  ({ watches }, { id }) => watches.removeAccount(id),
  ({ gaps }, { id }) => gaps.removeAccount(id),
  ({ suggestions }, { id }) => suggestions.removeAccount(id),
  ({ notifications }, { id }) => notifications.removeAccount(id),
  ({ support }, { id }) => support.removeAccount(id),
]

/** Erases the accounts whose grace period of 7 days has expired. Logs a failure; the next sweep tries again. */
export async function eraseClosedAccounts(services: MaintenanceServices): Promise<void> {
  const { accountClosures, audit, now, log } = services
  const closedBefore = new Date(now().getTime() - erasureGraceMs)
  for await (const account of accountClosures.listDueForErasure(closedBefore)) {
    try {
      if (!(await accountClosures.beginErasure(account.id, closedBefore))) continue
      for (const step of erasureSteps) await step(services, account)
      await accountClosures.completeErasure(account.id)
      await audit.record({ type: 'account_erased', by: { clientAddress: null }, accountId: account.id })
      log.info({ account: account.id }, 'an account was erased')
    } catch (err) {
      log.warn({ err, account: account.id }, 'an account could not be erased yet')
    }
  }
}

async function removeBooks(services: MaintenanceStores, { id }: Account): Promise<void> {
  if (!(await removeLibrary(services, id))) throw new Error('a stored file could not be removed')
}
