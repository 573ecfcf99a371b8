import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { SendReport } from './schema.ts'

export interface SupportReport extends SendReport {
  id: string
  accountId: string
  createdAt: Date
}

export interface SupportStore {
  /** Stores a report; does nothing if its id exists already. */
  add(report: SupportReport): Promise<void>
  /** A report of the account, or of any account (null). */
  byId(accountId: string | null, id: string): Promise<SupportReport | null>
  /** The reports of the account, in no particular order. */
  list(accountId: string): AsyncIterable<SupportReport>
  removeAccount(accountId: string): Promise<void>
}

export interface SupportStores {
  support: SupportStore
}

/** Support reports on MongoDB: collection `reports`. */
export function createSupportStore(db: Db): SupportStore {
  const reports = db.collection<Omit<SupportReport, 'id'> & { _id: string }>('reports')
  return {
    async add({ id, ...fields }) {
      try {
        await reports.insertOne({ _id: id, ...fields })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    },
    async byId(accountId, id) {
      const row = await reports.findOne({ _id: id, ...(accountId === null ? {} : { accountId }) })
      if (!row) return null
      const { _id, ...fields } = row
      return { id: _id, ...fields }
    },
    async *list(accountId) {
      for await (const { _id, ...fields } of reports.find({ accountId })) yield { id: _id, ...fields }
    },
    async removeAccount(accountId) {
      await reports.deleteMany({ accountId })
    },
  }
}
