import { SendReport, SentReport } from '../../src/support/schema.ts'
import { sendReport } from '../../src/support/send-report.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'send_report',
  title: 'Send a report',
  description: 'Send a bug report, a feature request or an idea to the administrators of this server.',
  group: 'support',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'reports',
  mcp: false,
  rest: { method: 'POST', path: '/report', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  idempotent: true,
  input: SendReport,
  output: SentReport,
  run: sendReport,
})
