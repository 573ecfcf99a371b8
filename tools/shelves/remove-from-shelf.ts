import { RemovedFromShelf, ShelfBooks, ShelfBooksQuery } from '../../src/shelves/schema.ts'
import { removeFromShelf } from '../../src/shelves/shelve-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_from_shelf',
  title: 'Take books off a shelf',
  description: 'Take up to 200 books off a shelf; they stay in the library. Says how many were on it.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'DELETE',
    path: '/shelves/{id}/items',
    fieldNames: { id: 'shelf' },
    queryFields: ['itemIds'],
    input: ShelfBooksQuery,
    codesWithoutCode: ['INVALID_INPUT'],
  },
  justification: {
    effect: 'Takes books off a shelf; the books stay in the library.',
    repeat: 'A book that is off stays off.',
  },
  example: { shelf: 'reading-list', itemIds: ['BOOKID'] },
  input: ShelfBooks,
  output: RemovedFromShelf,
  run: removeFromShelf,
})
