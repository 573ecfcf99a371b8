import { Shelf, UpdateShelf } from '../../src/shelves/schema.ts'
import { updateShelf } from '../../src/shelves/update-shelf.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_shelf',
  title: 'Update a shelf',
  description: 'Rename, recolour or move a shelf. Omitted fields stay unchanged. A new name changes the slug.',
  group: 'shelves',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'PATCH', path: '/shelves/{id}', legacy: { fieldNames: { id: 'shelf' } } },
  justification: {
    effect: "Changes a shelf's name, colour or position; its books stay.",
    repeat: 'Repeating the same values changes nothing.',
  },
  example: { shelf: 'reading-list', name: 'To read', color: '#3366cc', position: 0 },
  refusals: ['SHELF_NAME_INVALID', 'SHELF_NAME_TAKEN', 'SHELF_NOT_FOUND', 'TRANSIENT_CONFLICT'],
  input: UpdateShelf,
  output: Shelf,
  run: updateShelf,
})
