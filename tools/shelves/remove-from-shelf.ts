import { RemovedFromShelf, ShelfBooks, ShelfBooksQuery } from '../../src/shelves/schema.ts'
import { removeFromShelf } from '../../src/shelves/shelve-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'remove_from_shelf',
  title: 'Remove books from a shelf',
  description: 'Remove up to 200 books from a shelf. They stay in the library. Returns how many were removed.',
  group: 'shelves',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'DELETE',
    path: '/shelves/{id}/items',
    queryFields: ['itemIds'],
    input: ShelfBooksQuery,
    legacy: {
      fieldNames: { id: 'shelf' },
      codesWithoutCode: ['INVALID_INPUT'],
    },
  },
  justification: {
    effect: 'Removes books from a shelf; the books stay in the library.',
    repeat: 'A book that is not on the shelf is ignored.',
  },
  example: { shelf: 'reading-list', itemIds: ['BOOKID'] },
  refusals: ['SHELF_NOT_FOUND', 'BATCH_TOO_LARGE', 'QUERY_TOO_LONG'],
  input: ShelfBooks,
  output: RemovedFromShelf,
  run: removeFromShelf,
})
