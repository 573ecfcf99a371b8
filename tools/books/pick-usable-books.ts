import { PickUsableBooks, UsableBooks } from '../../src/books/enrich-schema.ts'
import { pickUsableBooks } from '../../src/books/usable-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'pick_usable_books',
  title: 'Pick the usable books',
  description:
    'Pick the books that stay usable when the plan allows fewer than the library holds. An empty list picks the oldest.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'PUT', path: '/items/usable' },
  refusals: ['NOT_FOUND'],
  input: PickUsableBooks,
  output: UsableBooks,
  run: pickUsableBooks,
})
