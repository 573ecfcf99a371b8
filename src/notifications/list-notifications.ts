import { unknownCursor } from '../core/pagination.ts'
import type { ListNotifications, MarkedRead, MarkRead, NotificationList } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { Notification, NotificationStores } from './store.ts'

const maxListed = 50
const maxMarked = 200

/** The caller's notifications, newest first, at most 50. */
export async function listNotifications(
  ctx: Call & NotificationStores,
  { unread, type }: ListNotifications,
): Promise<NotificationList> {
  const filter = { unread: unread === 'true', type, limit: maxListed }
  const found = await ctx.notifications.list(ctx.actor.id, filter)
  const notifications = found.map(({ id, type: notificationType, title, body, metadata, createdAt }) => ({
    id,
    type: notificationType,
    title,
    body,
    metadata,
    createdAt: createdAt.toISOString(),
  }))
  return { notifications }
}

/**
 * Marks the caller's notifications as read and returns how many were unread. Ignores unknown ids and all ids after the
 * first 200.
 */
export async function markNotificationsRead(ctx: Call & NotificationStores, { ids }: MarkRead): Promise<MarkedRead> {
  const updated = await ctx.notifications.markRead(ctx.actor.id, ids.slice(0, maxMarked), ctx.now())
  return { ok: true, updated }
}

/** Upper bound of `countUnread`; a page shows it as "99+". */
export const maxUnreadCount = 100

/** The number of unread notifications of the caller, at most 100: one query on an index. */
export function countUnread({ actor, notifications }: Call & NotificationStores): Promise<number> {
  return notifications.countUnread(actor.id, maxUnreadCount)
}

/** A page of the caller's notifications, and the cursor of the next one. */
export interface NotificationPage {
  notifications: Notification[]
  /** Null on the last page. */
  nextCursor: string | null
}

/** The requested page of notifications. */
export interface NotificationPageRequest {
  unread: boolean
  /** The cursor from the previous page; null: the newest. */
  cursor: string | null
  limit: number
}

/** The caller's notifications, newest first, paginated. Refuses an unknown cursor with INVALID_INPUT. */
export async function listNotificationPage(
  { actor, notifications }: Call & NotificationStores,
  { unread, cursor, limit }: NotificationPageRequest,
): Promise<NotificationPage> {
  const before = cursor === null ? undefined : parseCursor(cursor)
  const found = await notifications.list(actor.id, { unread, before, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  return { notifications: shown, nextCursor: last ? `${last.createdAt.getTime()}-${last.id}` : null }
}

function parseCursor(cursor: string): Pick<Notification, 'id' | 'createdAt'> {
  const [, time, id] = /^(\d{1,15})-(.{1,200})$/.exec(cursor) ?? []
  if (time === undefined || id === undefined) throw unknownCursor()
  return { id, createdAt: new Date(Number(time)) }
}

/**
 * Marks the caller's notifications until `until` as read, so that those that arrived after the page was rendered stay
 * unread. Returns the number of notifications that were unread.
 */
export function markAllNotificationsRead(ctx: Call & NotificationStores, { until }: { until: Date }): Promise<number> {
  return ctx.notifications.markAllRead(ctx.actor.id, { until, at: ctx.now() })
}
