import { reportGap } from '../../src/gaps/report-gap.ts'
import { AcceptedReport, ReportGap, ReportLibrarianGap } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'report_gap',
  title: 'Report a knowledge gap',
  description:
    'Report a topic that the library, or with aboutItemId a book, does not cover. No secrets, no user words.',
  group: 'gaps',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/librarian/gaps', input: ReportLibrarianGap, legacy: { refusalBody: { ok: true } } },
  idempotent: true,
  justification: {
    effect: 'Adds a reader request for an author or for the library; changes nothing that exists.',
    repeat: 'A repeat within 30 days is dropped; after that it counts again.',
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
