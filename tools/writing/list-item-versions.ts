import { defineTool } from '../../src/core/tool.ts'
import { listItemVersions } from '../../src/writing/list-item-versions.ts'
import { ItemVersions, ListItemVersions } from '../../src/writing/schema.ts'

export default defineTool({
  name: 'list_item_versions',
  title: 'List versions',
  description: 'Up to 50 earlier versions of a book, newest first, with who wrote them and why. One read.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'GET', path: '/items/{itemId}/versions', fieldNames: { itemId: 'id' } },
  justification: { effect: 'Returns a list; of the account only the count of its reads changes.' },
  example: { id: 'BOOKID' },
  input: ListItemVersions,
  output: ItemVersions,
  run: listItemVersions,
})
