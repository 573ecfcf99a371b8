import { listDepartmentMembers } from '../../src/teams/department-members.ts'
import { DepartmentMembers, TeamDepartmentRef } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_department_members',
  title: 'List department members',
  description: "List a department's members. Requires the role OWNER or ADMIN.",
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/departments/{dept}/members' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND'],
  input: TeamDepartmentRef,
  output: DepartmentMembers,
  run: listDepartmentMembers,
})
