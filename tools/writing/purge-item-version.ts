import { defineTool } from '../../src/core/tool.ts'
import { purgeItemVersion } from '../../src/writing/purge-item-version.ts'
import { PurgedVersion, PurgeItemVersion, PurgeVersionRequest } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'purge_item_version',
  title: 'Remove a version for good',
  description: 'Remove the text of an earlier version of a book you own for good. Ask the user first.',
  group: 'writing',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'content_writes',
  rest: { method: 'POST', path: '/items/{itemId}/versions/{version}/purge', input: PurgeVersionRequest },
  justification: {
    effect: 'Deletes the text of an earlier version, which nobody can read or restore afterwards.',
    repeat: 'Repeating it changes nothing.',
  },
  example: { itemId: 'BOOKID', version: 2, confirm: true },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  input: PurgeItemVersion,
  output: PurgedVersion,
  run: purgeItemVersion,
})
