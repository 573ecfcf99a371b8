import { NoInput } from '../../src/accounts/schema.ts'
import { listTeams } from '../../src/teams/list-teams.ts'
import { TeamList } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_teams',
  title: 'List teams',
  description: 'List your teams with your role and what is in them.',
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/teams', legacy: { clientNeeds: { agent: 'ck-cli/', omitNull: true } } },
  input: NoInput,
  output: TeamList,
  run: listTeams,
})
