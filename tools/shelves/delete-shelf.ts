import { deleteShelf } from '../../src/shelves/delete-shelf.ts'
import { ShelfRequest, Success } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'delete_shelf',
  title: 'Delete a shelf',
  description: 'Delete a shelf. Its books stay in the library. Ask the user first.',
  group: 'shelves',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/shelves/{id}', legacy: { fieldNames: { id: 'shelf' } } },
  justification: {
    effect: 'Permanently deletes a shelf; its books stay in the library.',
    repeat: 'A repeat finds no shelf to delete.',
  },
  example: { shelf: 'reading-list' },
  refusals: ['SHELF_NOT_FOUND', 'TRANSIENT_CONFLICT'],
  input: ShelfRequest,
  output: Success,
  run: deleteShelf,
})
