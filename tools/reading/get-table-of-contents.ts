import { getTableOfContents } from '../../src/reading/get-table-of-contents.ts'
import { renderOutlines } from '../../src/reading/render-text.ts'
import { GetTableOfContents, TableOfContents, TocBody } from '../../src/reading/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_table_of_contents',
  title: 'Get tables of contents',
  description: 'Get the chapters and page numbers of up to 50 books, to choose pages to read. Costs one read per book.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  mcp: { text: renderOutlines },
  rest: { method: 'POST', path: '/items/batch/toc', input: TocBody, legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  justification: { effect: "Returns tables of contents; changes only the account's read count." },
  example: { ids: ['BOOKID'], sessionId: 'SESSIONID' },
  refusals: ['ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: GetTableOfContents,
  output: TableOfContents,
  run: getTableOfContents,
})
