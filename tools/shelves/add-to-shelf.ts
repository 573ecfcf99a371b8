import { AddedToShelf, ShelfBooks } from '../../src/shelves/schema.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'add_to_shelf',
  title: 'Add books to a shelf',
  description: 'Add up to 200 books to a shelf. Books already on it stay; unknown ids come back in notFound.',
  group: 'shelves',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/shelves/{id}/items',
    status: ({ notFound }) => (notFound.length > 0 ? 207 : 201),
    legacy: {
      fieldNames: { id: 'shelf' },
    },
  },
  justification: {
    effect: 'Adds books to a shelf; removes nothing.',
    repeat: 'A book already on the shelf is not added again.',
  },
  example: { shelf: 'reading-list', itemIds: ['BOOKID'] },
  refusals: ['SHELF_NOT_FOUND', 'BATCH_TOO_LARGE'],
  input: ShelfBooks,
  output: AddedToShelf,
  run: addToShelf,
})
