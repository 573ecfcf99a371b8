import { getShelf } from '../../src/library/get-shelf.ts'
import { GetShelf, ShelfRequest, ShelfView, WholeShelfView } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_shelf',
  title: 'Get a shelf',
  description: 'Get a shelf with its books, in rows as in list_items. Long lists continue from nextCursor.',
  group: 'shelves',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  rest: {
    method: 'GET',
    path: '/shelves/{id}',
    input: ShelfRequest,
    output: WholeShelfView,
    legacy: { fieldNames: { id: 'shelf' } },
  },
  example: { shelf: 'reading-list', cursor: 'BOOKID', limit: 50, detail: 'detailed' },
  refusals: ['SHELF_NOT_FOUND'],
  input: GetShelf,
  output: ShelfView,
  run: getShelf,
})
