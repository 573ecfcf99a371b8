import type { Db, Filter } from 'mongodb'
import type { Clock, Log } from '../core/context.ts'
import { earliestId, newId } from '../core/ids.ts'
import { describeEvent, type Audit, type AuditEntry } from './audit.ts'

const dayMs = 24 * 60 * 60 * 1000

interface Row extends Omit<AuditEntry, 'id'> {
  _id: string
  /** The accounts that performed and were affected by the action. */
  subjects: string[]
  expiresAt: Date
}

interface AuditOptions extends Clock {
  /** Retention of new entries, days. */
  days: number
  log: Pick<Log, 'error'>
}

/** The audit log on MongoDB: collection `audit`. Its rows are never modified. */
export function createAudit(db: Db, { now, days, log }: AuditOptions): Audit {
  const rows = db.collection<Row>('audit')
  const pending = new Set<Promise<void>>()
  async function insert(row: Row): Promise<void> {
    try {
      await rows.insertOne(row)
    } catch (err) {
      log.error({ err, entry: row }, 'an entry of the audit log could not be written')
    }
  }
  return {
    async record(event) {
      const at = now()
      const entry = describeEvent(event)
      const subjects = [...new Set([entry.actorId, entry.accountId])].filter((id) => id !== null)
      const expiresAt = new Date(at.getTime() + days * dayMs)
      const written = insert({ _id: newId(at), at, ...entry, subjects, expiresAt })
      pending.add(written)
      await written
      pending.delete(written)
    },
    async list({ accountId, type, since, before, limit }) {
      const filter: Filter<Row> = {
        ...(accountId === undefined ? {} : { subjects: accountId }),
        ...(type === undefined ? {} : { type }),
        ...(since || before
          ? { _id: { ...(since ? { $gte: earliestId(since) } : {}), ...(before ? { $lt: before } : {}) } }
          : {}),
      }
      const found = await rows.find(filter).sort({ _id: -1 }).limit(limit).toArray()
      return found.map(({ _id, subjects: _subjects, expiresAt: _expiresAt, ...entry }) => ({ id: _id, ...entry }))
    },
    async flush() {
      await Promise.all(pending)
    },
  }
}
