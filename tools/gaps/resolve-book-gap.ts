import { fulfilGaps } from '../../src/gaps/answer-gaps.ts'
import { FulfilledGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'resolve_book_gap',
  title: 'Fulfil requests of readers',
  description:
    'Mark requests of an own book as fulfilled, once its text answers them; every reader who asked is notified.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/items/{itemId}/gaps/fulfill', codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  justification: {
    effect: 'Marks requests of readers as fulfilled and tells those readers; the requests stay.',
    repeat: 'A fulfilled request stays fulfilled and nobody is told again.',
  },
  example: { itemId: 'BOOKID', gapIds: ['GAPID'], subcategory: 'error handling' },
  input: SelectGaps,
  output: FulfilledGaps,
  run: fulfilGaps,
})
