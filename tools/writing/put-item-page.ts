import { defineTool } from '../../src/core/tool.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { PutItemPage, PutItemPageRequest, PutPage } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'put_item_page',
  title: 'Replace a page',
  description: 'Replace one page of a Markdown book. First read the page and pass its version as expectedVersion.',
  group: 'writing',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'content_writes',
  rest: {
    method: 'PUT',
    path: '/items/{itemId}/pages/{pageNum}',
    input: PutItemPageRequest,
    ifMatch: 'expectedVersion',
    maxBytes: 6_100_000,
    legacy: {
      fieldNames: { itemId: 'id' },
    },
  },
  justification: {
    effect: "Replaces a page's text; keeps the earlier version.",
    repeat: 'Repeating the same text changes nothing.',
  },
  example: { id: 'BOOKID', pageNum: 2, content: '# Two\n\nText.', expectedVersion: 3 },
  refusals: [
    'NOT_FOUND',
    'FORBIDDEN',
    'VERSION_CONFLICT',
    'ITEM_NOT_EDITABLE',
    'PLAN_LIMIT_EXCEEDED',
    'ITEM_LOCKED',
    'TRANSIENT_CONFLICT',
  ],
  input: PutItemPage,
  output: PutPage,
  run: putItemPage,
})
