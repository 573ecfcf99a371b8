import { listShelves } from '../../src/shelves/list-shelves.ts'
import { ListShelves, NoQuery, ShelfList, WholeShelfList } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_shelves',
  title: 'List shelves',
  description: "List the library's shelves in display order, each with its number of books.",
  group: 'shelves',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  rest: { method: 'GET', path: '/shelves', output: WholeShelfList, input: NoQuery },
  example: { cursor: 'SHELFID', limit: 50 },
  input: ListShelves,
  output: ShelfList,
  run: listShelves,
})
