import { getTableOfContents } from '../../src/reading/get-table-of-contents.ts'
import { renderOutlines } from '../../src/reading/render-text.ts'
import { GetTableOfContents, TableOfContents, TocBody } from '../../src/reading/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_table_of_contents',
  title: 'Get tables of contents',
  description: 'Chapters and their page numbers for up to 50 books. Use it to choose pages. One read per book.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: { text: renderOutlines },
  rest: { method: 'POST', path: '/items/batch/toc', input: TocBody, codesWithoutCode: ['INVALID_INPUT'] },
  justification: { effect: 'Returns outlines; of the account only the count of its reads changes.' },
  example: { ids: ['BOOKID'], sessionId: 'SESSIONID' },
  input: GetTableOfContents,
  output: TableOfContents,
  run: getTableOfContents,
})
