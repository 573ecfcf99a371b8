import { maxUnreadCount } from '../../notifications/list-notifications.ts'

/** The number of unread notifications as pages show it: "99+" for 100 and more. */
export function unreadText(count: number): string {
  return count >= maxUnreadCount ? `${maxUnreadCount - 1}+` : String(count)
}
