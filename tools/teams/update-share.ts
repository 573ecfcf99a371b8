import { UpdateShare, UpdatedShare } from '../../src/teams/share-schema.ts'
import { updateShare } from '../../src/teams/update-share.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_share',
  title: 'Change a share',
  description: 'Change what a share allows and with which departments it is. For owners and admins.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}/items', codesWithoutCode: ['INVALID_INPUT'] },
  input: UpdateShare,
  output: UpdatedShare,
  run: updateShare,
})
