import { readItems } from '../../src/reading/read-items.ts'
import { renderPages } from '../../src/reading/render-text.ts'
import { ReadItems, ReadItemsBody, ReadItemsResult, WholeReadItemsResult } from '../../src/reading/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'read_items',
  title: 'Read pages',
  description:
    'Read page ranges such as "1-5,10" of up to 50 books. Ask for narrow ranges. Cite as (Book Title, p. N). Costs one read per book.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  mcp: { text: renderPages },
  rest: {
    method: 'POST',
    path: '/items/batch',
    output: WholeReadItemsResult,
    input: ReadItemsBody,
    legacy: { codesWithoutCode: ['INVALID_INPUT'] },
  },
  justification: { effect: "Returns pages; changes only the account's read count." },
  example: { items: [{ id: 'BOOKID', pages: '1-5,10' }], partial: true, sessionId: 'SESSIONID' },
  refusals: ['ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: ReadItems,
  output: ReadItemsResult,
  outputValidated: true,
  run: readItems,
})
