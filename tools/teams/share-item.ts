import { shareItem } from '../../src/teams/share-item.ts'
import { ShareItem, SharedResult } from '../../src/teams/share-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'share_item',
  title: 'Share a book',
  description:
    'Share a book you own with a team or some of its departments. Plain members can share only for reading and with the whole team.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/teams/{teamId}/items',
    status: ({ granted }) => (granted ? 201 : 200),
    legacy: {
      statuses: [200, 201],
      codesWithoutCode: ['INVALID_INPUT'],
    },
  },
  refusals: [
    'NOT_A_TEAM_MEMBER',
    'FORBIDDEN_ROLE',
    'DEPARTMENT_NOT_FOUND',
    'ITEM_NOT_OWNED',
    'TEAM_SUBSCRIPTION_REQUIRED',
  ],
  input: ShareItem,
  output: SharedResult,
  run: shareItem,
})
