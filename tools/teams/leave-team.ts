import { leaveTeam } from '../../src/teams/leave-team.ts'
import { TeamRef, Success } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'leave_team',
  title: 'Leave a team',
  description: "Leave a team. You lose the team's books, and the team loses yours. The last owner cannot leave.",
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'POST', path: '/teams/{teamId}/leave' },
  refusals: ['CONFLICT', 'NOT_A_TEAM_MEMBER'],
  input: TeamRef,
  output: Success,
  run: leaveTeam,
})
