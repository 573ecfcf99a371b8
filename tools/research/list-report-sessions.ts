import { ReportWindow, SessionPage } from '../../src/research/schema.ts'
import { listReportSessions } from '../../src/research/session-page.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_report_sessions',
  title: 'List research sessions',
  description: 'List the research sessions in a window of days, newest first, with the books read.',
  group: 'research',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'value_reports',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/reports/value/sessions', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  input: ReportWindow,
  output: SessionPage,
  run: listReportSessions,
})
