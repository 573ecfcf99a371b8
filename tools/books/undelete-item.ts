import { UndeletedItem, UndeleteItem } from '../../src/books/bin-schema.ts'
import { undeleteItem } from '../../src/books/undelete-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'undelete_item',
  title: 'Bring a deleted book back',
  description:
    'Bring back a book that was deleted in the last 7 days, without its team shares and marketplace listing.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'library_writes',
  rest: { method: 'POST', path: '/items/{itemId}/undelete' },
  justification: {
    effect: 'Puts a deleted book back into the library; its text stays unchanged.',
    repeat: 'A book that is back stays as it is.',
  },
  example: { itemId: 'BOOKID' },
  refusals: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED'],
  input: UndeleteItem,
  output: UndeletedItem,
  run: undeleteItem,
})
