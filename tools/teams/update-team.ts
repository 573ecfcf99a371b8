import { TeamResult, UpdateTeam } from '../../src/teams/schema.ts'
import { updateTeam } from '../../src/teams/update-team.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_team',
  title: 'Rename a team',
  description: 'Rename a team. Requires the role OWNER.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE'],
  input: UpdateTeam,
  output: TeamResult,
  run: updateTeam,
})
