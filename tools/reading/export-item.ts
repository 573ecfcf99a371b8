import { exportItem } from '../../src/reading/export/export-item.ts'
import { ExportItem, FileOutput } from '../../src/reading/item-file-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'export_item',
  title: 'Export a book',
  description:
    'Download the current text of a book as one Markdown text or as an EPUB. Costs one read, once a day for a book.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'content_reads',
  mcp: false,
  rest: {
    method: 'GET',
    path: '/items/{itemId}/export',
    file: { contentTypes: ['text/markdown', 'application/epub+zip'] },
  },
  justification: { effect: "Returns a file; changes only the account's read count." },
  example: { itemId: 'BOOKID', format: 'epub' },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: ExportItem,
  output: FileOutput,
  outputValidated: true,
  run: exportItem,
})
