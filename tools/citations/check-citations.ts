import { checkCitations } from '../../src/citations/check-citations.ts'
import { CheckCitations, CheckCitationsBody, CheckedCitations } from '../../src/citations/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'check_citations',
  title: 'Check citations',
  description:
    'Check whether quotes appear on the pages cited. If not, returns other pages that hold them or the nearest passage. Costs no read.',
  group: 'citations',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'citation_checks',
  rest: { method: 'POST', path: '/citations/check', input: CheckCitationsBody },
  example: { citations: [{ itemId: 'BOOKID', page: 12, quote: 'the words that were quoted', version: 3 }] },
  refusals: ['ITEM_LOCKED'],
  input: CheckCitations,
  output: CheckedCitations,
  run: checkCitations,
})
