import { RenameDepartment, RenamedDepartment } from '../../src/teams/department-schema.ts'
import { renameDepartment } from '../../src/teams/rename-department.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'rename_department',
  title: 'Rename a department',
  description: 'Give a department another name, which changes its slug. For owners and admins.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'PATCH', path: '/teams/{teamId}/departments/{dept}' },
  input: RenameDepartment,
  output: RenamedDepartment,
  run: renameDepartment,
})
