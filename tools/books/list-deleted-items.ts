import { DeletedItemList, ListDeletedItems, ListDeletedItemsQuery } from '../../src/books/bin-schema.ts'
import { listDeletedItems } from '../../src/books/list-deleted-items.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_deleted_items',
  title: 'List deleted books',
  description: 'List the deleted books that can be brought back, deleted last first.',
  group: 'books',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/items/deleted', input: ListDeletedItemsQuery },
  example: { limit: 50 },
  input: ListDeletedItems,
  output: DeletedItemList,
  run: listDeletedItems,
})
