import { UpdateShare, UpdatedShare } from '../../src/teams/share-schema.ts'
import { updateShare } from '../../src/teams/update-share.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_share',
  title: 'Update a share',
  description: "Change a share's access level or departments. Requires the role OWNER or ADMIN.",
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}/items', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  refusals: ['FORBIDDEN', 'NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND', 'TEAM_ITEM_NOT_FOUND'],
  input: UpdateShare,
  output: UpdatedShare,
  run: updateShare,
})
