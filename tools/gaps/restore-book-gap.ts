import { restoreGaps } from '../../src/gaps/answer-gaps.ts'
import { RestoredGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'restore_book_gap',
  title: 'Restore requests of readers',
  description: 'Open dismissed requests of an own book again; no one is notified.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/items/{itemId}/gaps/restore', codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  justification: {
    effect: 'Opens dismissed requests again; nothing is lost by it.',
    repeat: 'An open request stays open.',
  },
  example: { itemId: 'BOOKID', gapIds: ['GAPID'], subcategory: 'error handling' },
  input: SelectGaps,
  output: RestoredGaps,
  run: restoreGaps,
})
