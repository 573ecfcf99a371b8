import { checkCitations } from '../../src/citations/check-citations.ts'
import { CheckCitations, CheckCitationsBody, CheckedCitations } from '../../src/citations/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'check_citations',
  title: 'Check citations',
  description:
    'Whether quotes stand on the pages they are cited from, and where else or what is nearest if not. Costs no read.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'citation_checks',
  rest: { method: 'POST', path: '/citations/check', input: CheckCitationsBody },
  example: { citations: [{ itemId: 'BOOKID', page: 12, quote: 'the words that were quoted', version: 3 }] },
  input: CheckCitations,
  output: CheckedCitations,
  run: checkCitations,
})
