import { NoInput } from '../../src/accounts/schema.ts'
import { UsableBooks } from '../../src/books/enrich-schema.ts'
import { getUsableBooks } from '../../src/books/usable-books.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_usable_books',
  title: 'Get the usable books',
  description: 'Get the books that stay usable when the plan allows fewer than the library holds.',
  group: 'books',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/items/usable' },
  input: NoInput,
  output: UsableBooks,
  run: getUsableBooks,
})
