import { listMembers } from '../../src/teams/list-members.ts'
import { MemberList, TeamRef } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_team_members',
  title: 'List team members',
  description: 'The members of a team and whom it has invited; plain members see the addresses of others masked.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/members' },
  input: TeamRef,
  output: MemberList,
  run: listMembers,
})
