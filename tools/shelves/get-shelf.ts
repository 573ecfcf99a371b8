import { getShelf } from '../../src/library/get-shelf.ts'
import { GetShelf, ShelfRequest, ShelfView } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_shelf',
  title: 'Get a shelf',
  description: 'A shelf with its books as list_items shows them; a long list goes on from nextCursor.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'GET', path: '/shelves/{id}', fieldNames: { id: 'shelf' }, input: ShelfRequest },
  example: { shelf: 'reading-list', cursor: 'BOOKID', limit: 50, detail: 'detailed' },
  input: GetShelf,
  output: ShelfView,
  run: getShelf,
})
