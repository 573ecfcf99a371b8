import { deleteTeam } from '../../src/teams/delete-team.ts'
import { OneTeam, Success } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_team',
  title: 'Delete a team',
  description: 'Delete a team with its departments, shares and invitations; books stay with their owners. For owners.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  bucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}' },
  input: OneTeam,
  output: Success,
  run: deleteTeam,
})
