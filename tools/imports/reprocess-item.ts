import { ReprocessedItem, ReprocessItem } from '../../src/books/enrich-schema.ts'
import { reprocessItem } from '../../src/imports/reprocess-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'reprocess_item',
  title: 'Reprocess a book',
  description: "Read a book's original file anew. The old pages stay readable until the new ones are ready.",
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/items/{itemId}/reprocess' },
  justification: {
    effect: 'Makes the pages of a book anew from its file, in place of the present ones.',
    repeat: 'Each call reads the file again.',
  },
  example: { itemId: 'BOOKID' },
  input: ReprocessItem,
  output: ReprocessedItem,
  run: reprocessItem,
})
