import { fetchPages } from '../../src/reading/fetch-pages.ts'
import { Fetch, Fetched } from '../../src/reading/fetch-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'fetch',
  title: 'Fetch a page',
  description: "Fetch the text of a page, or of a book's first pages, by an id from search. Costs one read.",
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  mcp: { exactShape: true },
  justification: { effect: "Returns pages; changes only the account's read count." },
  example: { id: 'BOOKID:12' },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: Fetch,
  output: Fetched,
  run: fetchPages,
})
