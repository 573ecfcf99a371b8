import { deleteDepartment } from '../../src/teams/delete-department.ts'
import { DeletedDepartment, TeamDepartmentRef } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_department',
  title: 'Delete a department',
  description: 'Delete a department. Books shared only with it are no longer shared. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'DELETE', path: '/teams/{teamId}/departments/{dept}' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND'],
  input: TeamDepartmentRef,
  output: DeletedDepartment,
  run: deleteDepartment,
})
