import { fetchPages } from '../../src/reading/fetch-pages.ts'
import { Fetch, Fetched } from '../../src/reading/fetch-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'fetch',
  title: 'Fetch a page',
  description: 'The text of a page, or the first pages of a book, by the id that search gave. One read.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  justification: { effect: 'Returns pages; of the account only the count of its reads changes.' },
  example: { id: 'BOOKID:12' },
  input: Fetch,
  output: Fetched,
  run: fetchPages,
})
