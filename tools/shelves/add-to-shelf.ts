import { AddedToShelf, ShelfBooks } from '../../src/shelves/schema.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'add_to_shelf',
  title: 'Add books to a shelf',
  description: 'Put up to 200 books on a shelf. Books already there stay; unknown ids come back in notFound.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/shelves/{id}/items',
    fieldNames: { id: 'shelf' },
    status: ({ notFound }) => (notFound.length > 0 ? 207 : 201),
  },
  justification: {
    effect: 'Puts books on a shelf; nothing is taken away.',
    repeat: 'A book that is on the shelf stays there once.',
  },
  example: { shelf: 'reading-list', itemIds: ['BOOKID'] },
  input: ShelfBooks,
  output: AddedToShelf,
  run: addToShelf,
})
