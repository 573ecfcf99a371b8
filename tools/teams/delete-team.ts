import { deleteTeam } from '../../src/teams/delete-team.ts'
import { TeamRef, Success } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_team',
  title: 'Delete a team',
  description:
    'Delete a team with its departments, shares and invitations. Books stay with their owners. Requires the role OWNER.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE'],
  input: TeamRef,
  output: Success,
  run: deleteTeam,
})
