import { listNotifications } from '../../src/notifications/list-notifications.ts'
import { ListNotifications, NotificationList } from '../../src/notifications/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_notifications',
  title: 'List notifications',
  description: "List the account's notifications, newest first, at most 50.",
  group: 'notifications',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/user/notifications' },
  input: ListNotifications,
  output: NotificationList,
  run: listNotifications,
})
