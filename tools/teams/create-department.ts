import { createDepartment } from '../../src/teams/create-department.ts'
import { CreateDepartment, CreatedDepartment } from '../../src/teams/department-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_department',
  title: 'Create a department',
  description: 'Create a department in a team, or get the existing one of that name. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/teams/{teamId}/departments',
    status: ({ created }) => (created ? 201 : 200),
    legacy: {
      statuses: [200, 201],
    },
  },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE', 'CONFLICT'],
  input: CreateDepartment,
  output: CreatedDepartment,
  run: createDepartment,
})
