import { TeamResult, UpdateTeam } from '../../src/teams/schema.ts'
import { updateTeam } from '../../src/teams/update-team.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_team',
  title: 'Rename a team',
  description: 'Rename a team. Requires the role OWNER.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}' },
  input: UpdateTeam,
  output: TeamResult,
  run: updateTeam,
})
