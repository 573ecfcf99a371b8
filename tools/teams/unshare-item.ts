import { UnshareItem, UnsharedItem } from '../../src/teams/share-schema.ts'
import { unshareItem } from '../../src/teams/unshare-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'unshare_item',
  title: 'Stop sharing a book',
  description: 'Stop sharing a book with a team. Requires the role OWNER or ADMIN, or that you shared it.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/items' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_REVOKE'],
  input: UnshareItem,
  output: UnsharedItem,
  run: unshareItem,
})
