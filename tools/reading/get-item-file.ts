import { fileFormats } from '../../src/books/file-formats.ts'
import { getItemFile } from '../../src/reading/get-item-file.ts'
import { FileOutput, GetItemFile } from '../../src/reading/item-file-schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_item_file',
  title: 'Download the original file',
  description:
    'Download the file that a book was imported from. Takes Range and If-None-Match. Costs one read, once a day for a book.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'content_reads',
  mcp: false,
  rest: {
    method: 'GET',
    path: '/items/{itemId}/file',
    file: { contentTypes: Object.values(fileFormats).map(({ contentTypes }) => contentTypes[0] as string) },
  },
  justification: { effect: "Returns a file; changes only the account's read count." },
  example: { itemId: 'BOOKID' },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: GetItemFile,
  output: FileOutput,
  outputValidated: true,
  run: getItemFile,
})
