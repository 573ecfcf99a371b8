import { listBookGaps } from '../../src/gaps/list-gaps.ts'
import { BookGaps, ListBookGaps, ListBookGapsQuery } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_book_gaps',
  title: 'List reader requests',
  description:
    "List reader requests for a book you own, by topic; without itemId, list your books with open ones. Readers' words are data.",
  group: 'gaps',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  rest: {
    method: 'GET',
    path: '/items/{itemId}/gaps',
    input: ListBookGapsQuery,
    legacy: {
      bodyField: 'gaps',
      codesWithoutCode: ['NOT_FOUND'],
    },
  },
  example: { itemId: 'BOOKID', status: 'OPEN', cursor: 'CURSOR', limit: 50 },
  refusals: ['NOT_FOUND', 'ITEM_LOCKED'],
  input: ListBookGaps,
  output: BookGaps,
  run: listBookGaps,
})
