import { listItems } from '../../src/library/list-items.ts'
import { ItemList, WholeItemList, ListItems, ListItemsQuery } from '../../src/books/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_items',
  title: 'List books',
  description:
    "List the library's books, or one shelf's, newest first, as short rows. Long lists continue from nextCursor.",
  group: 'books',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  rest: { method: 'GET', path: '/items', input: ListItemsQuery, output: WholeItemList },
  example: { shelf: 'reading-list', cursor: 'BOOKID', limit: 50, detail: 'detailed' },
  refusals: ['SHELF_PARAM_INVALID'],
  input: ListItems,
  output: ItemList,
  run: listItems,
})
