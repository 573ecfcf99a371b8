import { z } from 'zod'
import { listAuthorGaps } from '../../src/gaps/list-gaps.ts'
import { BooksWithGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_author_gaps',
  title: 'List own books that readers ask about',
  description: 'The own books with open requests of readers, those with most of them first, and their top topics.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/author/gaps', bodyField: 'books' },
  input: z.strictObject({}),
  output: BooksWithGaps,
  run: listAuthorGaps,
})
