import { accessReport } from '../../src/teams/access-report.ts'
import { TeamRef } from '../../src/teams/schema.ts'
import { AccessReport } from '../../src/teams/share-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_access_report',
  title: 'Get the access report',
  description:
    "Get a team's departments, with member and book counts, and all its shared books. Requires the role OWNER or ADMIN.",
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/teams/{teamId}/access-report' },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE'],
  input: TeamRef,
  output: AccessReport,
  run: accessReport,
})
