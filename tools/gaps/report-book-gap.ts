import { reportBookGap } from '../../src/gaps/report-gap.ts'
import { AcceptedReport, ReportBookGap } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_book_gap',
  title: 'Report a gap in a book',
  description:
    'Report a topic that a book lacks to its author. The response is always the same, whether or not the report was kept.',
  group: 'gaps',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'POST', path: '/items/{itemId}/gaps', legacy: { refusalBody: { ok: true } } },
  idempotent: true,
  input: ReportBookGap,
  output: AcceptedReport,
  run: reportBookGap,
})
