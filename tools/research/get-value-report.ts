import { ReportWindow, ValueReport } from '../../src/research/schema.ts'
import { valueReport } from '../../src/research/value-report.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_value_report',
  title: 'Get the value report',
  description: "Summarise the account's reading over a window of days; the last 30 by default.",
  group: 'research',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'value_reports',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/reports/value', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  input: ReportWindow,
  output: ValueReport,
  run: valueReport,
})
