import { z } from 'zod'
import { Count, Timestamp } from '../core/field-types.ts'
import { nameSchema } from '../core/schema-notes.ts'

export const notificationTypes = [
  'gap_fulfilled',
  'import_finished',
  'import_failed',
  'folder_imported',
  'team_invite',
  'item_shared',
  'listing_withdrawn',
] as const
export type NotificationType = (typeof notificationTypes)[number]

export const ListNotifications = z.strictObject({
  unread: z.enum(['true', 'false']).optional().describe('true: only unread notifications.'),
  type: z.string().max(100).optional(),
})
export type ListNotifications = z.infer<typeof ListNotifications>

const Notification = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  body: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: Timestamp,
})
nameSchema(
  Notification,
  'Notification',
  'A message about an event that no answer reported, such as the end of an import.',
)

export const NotificationList = z.object({
  notifications: z.array(Notification),
})
export type NotificationList = z.infer<typeof NotificationList>

const idsRequired = 'ids must be an array of strings'

export const MarkRead = z.object({
  ids: z.array(z.string({ error: idsRequired }), { error: idsRequired }).describe('Only the first 200 are used.'),
})
export type MarkRead = z.infer<typeof MarkRead>

export const MarkedRead = z.object({ ok: z.literal(true), updated: Count })
export type MarkedRead = z.infer<typeof MarkedRead>
