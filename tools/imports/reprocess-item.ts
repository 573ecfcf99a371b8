import { ReprocessedItem, ReprocessItem } from '../../src/books/enrich-schema.ts'
import { reprocessItem } from '../../src/imports/reprocess-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'reprocess_item',
  title: 'Reprocess a book',
  description: "Import a book's original file again. The old pages stay readable until the new ones are ready.",
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  rateBucket: 'reprocessing',
  rest: { method: 'POST', path: '/items/{itemId}/reprocess' },
  justification: {
    effect: "Replaces a book's pages with new ones made from its original file.",
    repeat: 'Each call imports the file again.',
  },
  example: { itemId: 'BOOKID', password: 'correct horse' },
  refusals: ['NOT_FOUND', 'FORBIDDEN'],
  input: ReprocessItem,
  output: ReprocessedItem,
  run: reprocessItem,
})
