import { MongoBulkWriteError, type Db, type Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { NotificationType } from './schema.ts'

export interface Notification {
  id: string
  accountId: string
  type: NotificationType
  title: string
  body: string
  metadata: Record<string, unknown>
  createdAt: Date
  readAt: Date | null
}

/** Selects the notifications to list. */
export interface NotificationFilter {
  unread: boolean
  type?: string | undefined
  limit: number
  /** Only those older than this one. */
  before?: Pick<Notification, 'id' | 'createdAt'> | undefined
}

export interface NotificationStore {
  /** Adds a notification; does nothing if its id exists already. */
  add(notification: Notification): Promise<void>
  /** Adds notifications; skips those whose id exists already. */
  addAll(notifications: readonly Notification[]): Promise<void>
  /** The account's notifications, newest first. */
  list(accountId: string, filter: NotificationFilter): Promise<Notification[]>
  /** The number of unread notifications of the account, at most `limit`: one query on an index. */
  countUnread(accountId: string, limit: number): Promise<number>
  /** Marks those of `ids` that belong to the account as read; returns how many were unread. */
  markRead(accountId: string, ids: readonly string[], at: Date): Promise<number>
  /** Marks the account's notifications until `until` as read; returns how many were unread. */
  markAllRead(accountId: string, { until, at }: { until: Date; at: Date }): Promise<number>
  removeAccount(accountId: string): Promise<void>
}

export interface NotificationStores {
  notifications: NotificationStore
}

type Row = Omit<Notification, 'id'> & { _id: string }

/** Notifications on MongoDB: collection `notifications`. */
export function createNotificationStore(db: Db): NotificationStore {
  const notifications = db.collection<Row>('notifications')
  return {
    async add({ id, ...fields }) {
      try {
        await notifications.insertOne({ _id: id, ...fields })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    },
    async addAll(added) {
      if (added.length === 0) return
      try {
        await notifications.insertMany(
          added.map(({ id, ...fields }) => ({ _id: id, ...fields })),
          { ordered: false },
        )
      } catch (error) {
        const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
        if (failed.length === 0 || failed.some(({ code }) => code !== 11_000)) throw error
      }
    },
    async list(accountId, { limit, ...filter }) {
      const found = notifications.find(toFilter(accountId, filter)).sort({ createdAt: -1, _id: -1 })
      return (await found.limit(limit).toArray()).map(({ _id, ...fields }) => ({ id: _id, ...fields }))
    },
    countUnread: (accountId, limit) => notifications.countDocuments({ accountId, readAt: null }, { limit }),
    async markRead(accountId, ids, at) {
      const filter = { _id: { $in: [...ids] }, accountId, readAt: null }
      return (await notifications.updateMany(filter, { $set: { readAt: at } })).modifiedCount
    },
    async markAllRead(accountId, { until, at }) {
      const filter = { accountId, readAt: null, createdAt: { $lte: until } }
      return (await notifications.updateMany(filter, { $set: { readAt: at } })).modifiedCount
    },
    async removeAccount(accountId) {
      await notifications.deleteMany({ accountId })
    },
  }
}

function toFilter(accountId: string, { unread, type, before }: Omit<NotificationFilter, 'limit'>): Filter<Row> {
  const filter: Filter<Row> = { accountId }
  if (unread) filter.readAt = null
  if (type !== undefined) filter.type = type as NotificationType
  if (before) {
    const { id, createdAt } = before
    filter.createdAt = { $lte: createdAt }
    filter.$or = [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }]
  }
  return filter
}
