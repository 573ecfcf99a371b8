import { defineTool } from '../../src/core/tool.ts'
import { restoreItemVersion } from '../../src/writing/restore-item-version.ts'
import { RestoredVersion, RestoreItemVersion } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'restore_item_version',
  title: 'Restore a version',
  description: 'Make an earlier version of a book current again. The present text is kept as a version.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'content_writes',
  rest: {
    method: 'POST',
    path: '/items/{itemId}/versions',
    fieldNames: { itemId: 'id' },
    ifMatch: 'expectedVersion',
  },
  justification: {
    effect: 'Replaces the text of a book by an earlier one; the present one is kept as a version.',
    repeat: 'The same text again changes nothing.',
  },
  example: { id: 'BOOKID', version: 2, expectedVersion: 5 },
  input: RestoreItemVersion,
  output: RestoredVersion,
  run: restoreItemVersion,
})
