import { createDepartment } from '../../src/teams/create-department.ts'
import { CreateDepartment, CreatedDepartment } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_department',
  title: 'Create a department',
  description: 'Add a department to a team, or find the one of that name. For owners and admins.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/teams/{teamId}/departments',
    status: ({ created }) => (created ? 201 : 200),
    statuses: [200, 201],
  },
  input: CreateDepartment,
  output: CreatedDepartment,
  run: createDepartment,
})
