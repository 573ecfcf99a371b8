import { addDepartmentMember } from '../../src/teams/department-members.ts'
import { AddedToDepartment, DepartmentMember } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'add_department_member',
  title: 'Add a department member',
  description: 'Add a team member to a department. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/teams/{teamId}/departments/{dept}/members',
    status: ({ added }) => (added ? 201 : 200),
    legacy: {
      statuses: [200, 201],
    },
  },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND', 'MEMBER_NOT_FOUND'],
  input: DepartmentMember,
  output: AddedToDepartment,
  run: addDepartmentMember,
})
