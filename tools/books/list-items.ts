import { listItems } from '../../src/books/list-items.ts'
import { ItemList, ListItems, ListItemsQuery } from '../../src/books/schema.ts'
import { defineTool } from '../../src/tool.ts'

export default defineTool({
  name: 'list_items',
  title: 'List books',
  description:
    'All books of the library, or of one shelf, newest first. A long list comes as short rows with nextCursor.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  bucket: 'none',
  rest: { method: 'GET', path: '/items', input: ListItemsQuery },
  input: ListItems,
  output: ItemList,
  run: listItems,
})
