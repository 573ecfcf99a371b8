import { defineTool } from '../../src/core/tool.ts'
import { restoreItemVersion } from '../../src/writing/restore-item-version.ts'
import { RestoredVersion, RestoreItemVersion } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'restore_item_version',
  title: 'Restore a version',
  description: 'Restore an earlier version of a book. The current text is kept as a version.',
  group: 'writing',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'content_writes',
  rest: {
    method: 'POST',
    path: '/items/{itemId}/versions',
    ifMatch: 'expectedVersion',
    legacy: {
      fieldNames: { itemId: 'id' },
    },
  },
  justification: {
    effect: "Replaces a book's text with an earlier version; keeps the current text as a version.",
    repeat: 'Repeating the same version changes nothing.',
  },
  example: { id: 'BOOKID', version: 2, expectedVersion: 5 },
  refusals: [
    'NOT_FOUND',
    'FORBIDDEN',
    'VERSION_CONFLICT',
    'ITEM_NOT_EDITABLE',
    'PLAN_LIMIT_EXCEEDED',
    'ITEM_LOCKED',
    'TRANSIENT_CONFLICT',
  ],
  input: RestoreItemVersion,
  output: RestoredVersion,
  run: restoreItemVersion,
})
