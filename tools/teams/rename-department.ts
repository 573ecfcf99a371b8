import { RenameDepartment, RenamedDepartment } from '../../src/teams/department-schema.ts'
import { renameDepartment } from '../../src/teams/rename-department.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'rename_department',
  title: 'Rename a department',
  description: 'Rename a department. Its slug changes with the name. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}/departments/{dept}' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'DEPARTMENT_NOT_FOUND', 'DEPARTMENT_SLUG_TAKEN'],
  input: RenameDepartment,
  output: RenamedDepartment,
  run: renameDepartment,
})
