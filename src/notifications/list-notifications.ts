import type { ListNotifications, MarkedRead, MarkRead, NotificationList } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { NotificationStores } from './store.ts'

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
