import { removeMember } from '../../src/teams/remove-member.ts'
import { MemberRef, RemovedMember } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_team_member',
  title: 'Remove a team member',
  description: 'Take somebody out of a team, with the shares of their books, or take back an invitation. For owners.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/members' },
  input: MemberRef,
  output: RemovedMember,
  run: removeMember,
})
