import { reportGap } from '../../src/gaps/report-gap.ts'
import { AcceptedReport, ReportGap, ReportLibrarianGap } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_gap',
  title: 'Report what no book has',
  description:
    'Report a topic on which the library, or with aboutItemId a book, had no answer. No secrets, no user words.',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/librarian/gaps', input: ReportLibrarianGap, refusalBody: { ok: true } },
  idempotent: true,
  justification: {
    effect: 'Adds a request to the queue of an author or of the library; nothing that exists is changed.',
    repeat: 'A repeat within 30 days is dropped; later it counts anew.',
  },
  example: {
    intent: 'How retries interact with timeouts',
    category: 'programming',
    subcategory: 'retries',
    suggestedTitle: 'Release It!',
    suggestedAuthor: 'M. Nygard',
    aboutItemId: 'BOOKID',
    aboutSection: 'Chapter 4',
  },
  input: ReportGap,
  output: AcceptedReport,
  run: reportGap,
})
