import { defineTool } from '../../src/core/tool.ts'
import { listItemVersions } from '../../src/writing/list-item-versions.ts'
import { ItemVersions, ListItemVersions } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'list_item_versions',
  title: 'List versions',
  description: 'List up to 50 earlier versions of a book, newest first, with author and reason. Costs one read.',
  group: 'writing',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  rest: { method: 'GET', path: '/items/{itemId}/versions', legacy: { fieldNames: { itemId: 'id' } } },
  justification: { effect: "Returns a list; changes only the account's read count." },
  example: { id: 'BOOKID' },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: ListItemVersions,
  output: ItemVersions,
  run: listItemVersions,
})
