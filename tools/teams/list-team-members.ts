import { listMembers } from '../../src/teams/list-members.ts'
import { MemberList, TeamRef } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_team_members',
  title: 'List team members',
  description: "List a team's members and invitations. Plain members see masked email addresses.",
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/members' },
  refusals: ['NOT_A_TEAM_MEMBER'],
  input: TeamRef,
  output: MemberList,
  run: listMembers,
})
