import { reportAgents } from '../../src/settings/machines.ts'
import { ReportAgents, ReportedAgents } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_agents',
  title: 'Report the agents of a machine',
  description: 'Take what a machine reports of its coding agents, in place of its earlier report.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: { method: 'PUT', path: '/user/agents', credential: 'apiKey', codesWithoutCode: ['INVALID_INPUT'] },
  input: ReportAgents,
  output: ReportedAgents,
  run: reportAgents,
})
