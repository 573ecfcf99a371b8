import { leaveTeam } from '../../src/teams/leave-team.ts'
import { TeamRef, Success } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'leave_team',
  title: 'Leave a team',
  description:
    'Leave a team: its books leave your library, and yours are no longer shared with it. The last owner cannot.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'POST', path: '/teams/{teamId}/leave' },
  input: TeamRef,
  output: Success,
  run: leaveTeam,
})
