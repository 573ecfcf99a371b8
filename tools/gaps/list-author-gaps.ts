import { z } from 'zod'
import { listAuthorGaps } from '../../src/gaps/list-gaps.ts'
import { BooksWithGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_author_gaps',
  title: 'List books with open reader requests',
  description: 'List your books with open reader requests, most requests first, each with its top topics.',
  group: 'gaps',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/author/gaps', legacy: { bodyField: 'books' } },
  input: z.strictObject({}),
  output: BooksWithGaps,
  run: listAuthorGaps,
})
