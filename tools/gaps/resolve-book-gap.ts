import { fulfilGaps } from '../../src/gaps/answer-gaps.ts'
import { FulfilledGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'resolve_book_gap',
  title: 'Fulfil reader requests',
  description:
    'Mark reader requests for a book you own as fulfilled, once its text answers them. Notifies every reader who asked.',
  group: 'gaps',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/items/{itemId}/gaps/fulfill',
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  },
  justification: {
    effect: 'Marks reader requests as fulfilled and notifies those readers; the requests are kept.',
    repeat: 'A fulfilled request stays fulfilled; nobody is notified again.',
  },
  example: { itemId: 'BOOKID', gapIds: ['GAPID'], subcategory: 'error handling' },
  refusals: ['NOT_FOUND'],
  input: SelectGaps,
  output: FulfilledGaps,
  run: fulfilGaps,
})
