import { listTeamItems } from '../../src/teams/list-team-items.ts'
import { TeamRef } from '../../src/teams/schema.ts'
import { SharedItemList } from '../../src/teams/share-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_team_items',
  title: 'List shared books',
  description: 'List the books shared with a team. Plain members see only the books shared with them.',
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/items' },
  refusals: ['NOT_A_TEAM_MEMBER'],
  input: TeamRef,
  output: SharedItemList,
  run: listTeamItems,
})
