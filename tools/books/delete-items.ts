import { deleteItems } from '../../src/books/delete-items.ts'
import { DeletedItems, DeleteItems, DeleteItemsBody } from '../../src/books/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_items',
  title: 'Delete books',
  description:
    'Delete books you own. Ask the user first. undelete_item brings one back for 7 days. Unknown ids come back in notFound.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/items', input: DeleteItemsBody },
  justification: {
    effect: 'Deletes books with their files; they are erased after 7 days.',
    repeat: 'A repeat finds nothing to delete.',
  },
  example: { ids: ['BOOKID'] },
  refusals: ['FORBIDDEN'],
  input: DeleteItems,
  output: DeletedItems,
  run: deleteItems,
})
