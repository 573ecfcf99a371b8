import { reportAgents } from '../../src/settings/machines.ts'
import { ReportAgents, ReportedAgents } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_agents',
  title: "Report a machine's agents",
  description: "Report a machine's coding agents. The report replaces the machine's earlier one.",
  group: 'settings',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: { method: 'PUT', path: '/user/agents', credential: 'apiKey', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  input: ReportAgents,
  output: ReportedAgents,
  run: reportAgents,
})
