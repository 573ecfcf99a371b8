import { deleteItems } from '../../src/books/delete-items.ts'
import { DeletedItems, DeleteItems, DeleteItemsBody } from '../../src/books/schema.ts'
import { defineTool } from '../../src/tool.ts'

export default defineTool({
  name: 'delete_items',
  title: 'Delete books',
  description: 'Delete own books for good, with their files. Ask the user first. Unknown ids come back in notFound.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  bucket: 'none',
  rest: { method: 'DELETE', path: '/items', input: DeleteItemsBody },
  input: DeleteItems,
  output: DeletedItems,
  run: deleteItems,
})
