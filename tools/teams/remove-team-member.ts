import { removeMember } from '../../src/teams/remove-member.ts'
import { MemberRef, RemovedMember } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_team_member',
  title: 'Remove a team member',
  description:
    'Remove a member from a team and stop sharing their books, or revoke an invitation. Requires the role OWNER.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/members' },
  refusals: ['CONFLICT', 'NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'MEMBER_NOT_FOUND', 'CANNOT_REMOVE_SELF'],
  input: MemberRef,
  output: RemovedMember,
  run: removeMember,
})
