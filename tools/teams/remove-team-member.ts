import { removeMember } from '../../src/teams/remove-member.ts'
import { MemberRef, RemovedMember } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_team_member',
  title: 'Remove a team member',
  description:
    'Remove a member from a team and stop sharing their books, or revoke an invitation. Requires the role OWNER.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/members' },
  input: MemberRef,
  output: RemovedMember,
  run: removeMember,
})
