import { restoreGaps } from '../../src/gaps/answer-gaps.ts'
import { RestoredGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'restore_book_gap',
  title: 'Restore reader requests',
  description: 'Reopen dismissed reader requests for a book you own. Nobody is notified.',
  group: 'gaps',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/items/{itemId}/gaps/restore',
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  },
  justification: {
    effect: 'Reopens dismissed requests; deletes nothing.',
    repeat: 'An open request stays open.',
  },
  example: { itemId: 'BOOKID', gapIds: ['GAPID'], subcategory: 'error handling' },
  refusals: ['NOT_FOUND'],
  input: SelectGaps,
  output: RestoredGaps,
  run: restoreGaps,
})
