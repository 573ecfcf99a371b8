import { deleteItems } from '../../src/books/delete-items.ts'
import { DeletedItems, DeleteItems, DeleteItemsBody } from '../../src/books/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_items',
  title: 'Delete books',
  description:
    'Permanently delete books you own, with their files. Ask the user first. Unknown ids come back in notFound.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/items', input: DeleteItemsBody },
  justification: {
    effect: 'Permanently deletes books and their files.',
    repeat: 'A repeat finds nothing to delete.',
  },
  example: { ids: ['BOOKID'] },
  input: DeleteItems,
  output: DeletedItems,
  run: deleteItems,
})
