import { createTeam } from '../../src/teams/create-team.ts'
import { CreateTeam, TeamResult } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_team',
  title: 'Create a team',
  description: 'Create a team. You become its owner.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'POST', path: '/teams', status: 201 },
  idempotent: true,
  input: CreateTeam,
  output: TeamResult,
  run: createTeam,
})
