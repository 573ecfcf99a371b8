import { reportBookGap } from '../../src/gaps/report-gap.ts'
import { AcceptedReport, ReportBookGap } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_book_gap',
  title: 'Report what a book lacks',
  description: 'Ask the author of a book for a topic that it lacks. The answer is the same whatever becomes of it.',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'POST', path: '/items/{itemId}/gaps', refusalBody: { ok: true } },
  idempotent: true,
  input: ReportBookGap,
  output: AcceptedReport,
  run: reportBookGap,
})
