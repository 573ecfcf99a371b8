import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { SendReport } from './schema.ts'

export interface SupportReport extends SendReport {
  id: string
  accountId: string
  createdAt: Date
}

/** A report in a list, without its text. */
export type ListedReport = Omit<SupportReport, 'body'>

export interface ReportPart {
  before: string | undefined
  limit: number
}

export interface SupportStore {
  /** Stores a report; does nothing if its id exists already. */
  add(report: SupportReport): Promise<void>
  /** A report of the account, or of any account (null). */
  byId(accountId: string | null, id: string): Promise<SupportReport | null>
  /** The latest reports of the account, or of all accounts (null), newest first; with `before`, those older than that id. */
  listLatest(accountId: string | null, part: ReportPart): Promise<ListedReport[]>
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
    async listLatest(accountId, { before, limit }) {
      const filter = {
        ...(accountId === null ? {} : { accountId }),
        ...(before === undefined ? {} : { _id: { $lt: before } }),
      }
      const rows = await reports
        .find(filter)
        .project<Omit<ListedReport, 'id'> & { _id: string }>({ body: 0 })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray()
      return rows.map(({ _id, ...fields }) => ({ id: _id, ...fields }))
    },
    async *list(accountId) {
      for await (const { _id, ...fields } of reports.find({ accountId })) yield { id: _id, ...fields }
    },
    async removeAccount(accountId) {
      await reports.deleteMany({ accountId })
    },
  }
}
