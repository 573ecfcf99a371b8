import { defineTool } from '../../src/core/tool.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { PutItemPage, PutItemPageRequest, PutPage } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'put_item_page',
  title: 'Replace a page',
  description: 'Replace one page of a Markdown book. Read it first; pass the version that you read as expectedVersion.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'content_writes',
  rest: {
    method: 'PUT',
    path: '/items/{itemId}/pages/{pageNum}',
    fieldNames: { itemId: 'id' },
    input: PutItemPageRequest,
    ifMatch: 'expectedVersion',
    maxBytes: 6_100_000,
  },
  justification: {
    effect: 'Replaces the text of a page; the earlier version is kept.',
    repeat: 'The same text again changes nothing.',
  },
  example: { id: 'BOOKID', pageNum: 2, content: '# Two\n\nText.', expectedVersion: 3 },
  input: PutItemPage,
  output: PutPage,
  run: putItemPage,
})
