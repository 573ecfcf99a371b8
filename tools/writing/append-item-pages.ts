import { defineTool } from '../../src/core/tool.ts'
import { appendItemPages } from '../../src/writing/append-item-pages.ts'
import { AppendedPages, AppendItemPages } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'append_item_pages',
  title: 'Append pages',
  description:
    'Add Markdown to the end or start of a book. Text before its first "# " heading joins the page before it.',
  group: 'writing',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  rateBucket: 'content_writes',
  rest: {
    method: 'POST',
    path: '/items/{itemId}/pages',
    status: ({ firstPage }) => (firstPage === null ? 200 : 201),
    ifMatch: 'expectedVersion',
    // In JSON, every character of the content may be escaped.
    maxBytes: 6_100_000,
    legacy: {
      fieldNames: { itemId: 'id' },
      statuses: [200, 201],
    },
  },
  idempotent: true,
  justification: {
    effect: 'Adds text to a book; existing text stays unchanged.',
    repeat: 'A second call adds the text again, unless it carries the same idempotencyKey.',
  },
  example: { id: 'BOOKID', content: '# More\n\nText.', position: 'end', expectedVersion: 3 },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'VERSION_CONFLICT', 'ITEM_NOT_EDITABLE', 'PLAN_LIMIT_EXCEEDED', 'ITEM_LOCKED'],
  input: AppendItemPages,
  output: AppendedPages,
  run: appendItemPages,
})
