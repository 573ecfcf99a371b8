import { DepartmentList } from '../../src/teams/department-schema.ts'
import { listDepartments } from '../../src/teams/list-departments.ts'
import { TeamRef } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_departments',
  title: 'List departments',
  description: "List a team's departments. Plain members see only their own.",
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/departments' },
  refusals: ['NOT_A_TEAM_MEMBER'],
  input: TeamRef,
  output: DepartmentList,
  run: listDepartments,
})
