import { defineTool } from '../../src/core/tool.ts'
import { putItemContent } from '../../src/writing/put-item-content.ts'
import { PutContent, PutItemContent } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'put_item_content',
  title: 'Replace a whole book',
  description:
    'Replace the whole text of a Markdown book. First call get_item_content and pass its version as expectedVersion.',
  group: 'writing',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  rateBucket: 'content_writes',
  rest: {
    method: 'PUT',
    path: '/items/{itemId}/content',
    ifMatch: 'expectedVersion',
    maxBytes: 6_100_000,
    legacy: {
      fieldNames: { itemId: 'id' },
    },
  },
  justification: {
    effect: "Replaces a book's whole text; keeps the earlier version.",
    repeat: 'A repeat with the same expectedVersion is refused as a conflict.',
  },
  example: { id: 'BOOKID', content: '# One\n\nText.', expectedVersion: 3 },
  refusals: [
    'NOT_FOUND',
    'FORBIDDEN',
    'VERSION_CONFLICT',
    'ITEM_NOT_EDITABLE',
    'PLAN_LIMIT_EXCEEDED',
    'ITEM_LOCKED',
    'TRANSIENT_CONFLICT',
  ],
  input: PutItemContent,
  output: PutContent,
  run: putItemContent,
})
