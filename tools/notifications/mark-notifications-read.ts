import { markNotificationsRead } from '../../src/notifications/list-notifications.ts'
import { MarkedRead, MarkRead } from '../../src/notifications/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'mark_notifications_read',
  title: 'Mark notifications as read',
  description: 'Mark notifications as read. Ids you do not own are ignored, and so are ids after the first 200.',
  group: 'notifications',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'POST', path: '/user/notifications/mark-read' },
  input: MarkRead,
  output: MarkedRead,
  run: markNotificationsRead,
})
