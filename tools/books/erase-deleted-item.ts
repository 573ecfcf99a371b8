import { EraseDeletedItem, ErasedItem } from '../../src/books/bin-schema.ts'
import { eraseDeletedItem } from '../../src/books/erase-deleted-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'erase_deleted_item',
  title: 'Erase a deleted book',
  description: 'Erase a deleted book now, with its text and its file, for good.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'library_writes',
  mcp: false,
  rest: { method: 'DELETE', path: '/items/deleted/{itemId}' },
  justification: {
    effect: 'Erases the text and the file of a deleted book.',
    repeat: 'A repeat finds nothing to erase.',
  },
  example: { itemId: 'BOOKID' },
  refusals: ['NOT_FOUND'],
  input: EraseDeletedItem,
  output: ErasedItem,
  run: eraseDeletedItem,
})
