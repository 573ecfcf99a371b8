import { listItems } from '../../src/library/list-items.ts'
import { ItemList, ListItems, ListItemsQuery } from '../../src/books/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_items',
  title: 'List books',
  description:
    'All books of the library, or of one shelf, newest first, as short rows; a long list goes on from nextCursor.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'GET', path: '/items', input: ListItemsQuery },
  example: { shelf: 'reading-list', cursor: 'BOOKID', limit: 50, detail: 'detailed' },
  input: ListItems,
  output: ItemList,
  run: listItems,
})
