import { removeDepartmentMember } from '../../src/teams/department-members.ts'
import { DepartmentMember, RemovedFromDepartment } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_department_member',
  title: 'Remove a department member',
  description: 'Remove a member from a department. They stay in the team. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/departments/{dept}/members' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND'],
  input: DepartmentMember,
  output: RemovedFromDepartment,
  run: removeDepartmentMember,
})
