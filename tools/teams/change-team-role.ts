import { changeRole } from '../../src/teams/change-role.ts'
import { ChangeRole, ChangedRole } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'change_team_role',
  title: "Change a member's role",
  description:
    "Change a team member's role to OWNER, ADMIN or MEMBER. A team keeps at least one owner. Requires the role OWNER.",
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}/members' },
  refusals: ['CONFLICT', 'NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'MEMBER_NOT_FOUND'],
  input: ChangeRole,
  output: ChangedRole,
  run: changeRole,
})
