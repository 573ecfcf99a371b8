import { Shelf, UpdateShelf } from '../../src/shelves/schema.ts'
import { updateShelf } from '../../src/shelves/update-shelf.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_shelf',
  title: 'Change a shelf',
  description: 'Rename, recolour or move a shelf; what is not given stays. A new name changes the slug.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'PATCH', path: '/shelves/{id}', fieldNames: { id: 'shelf' } },
  justification: {
    effect: 'Changes name, colour or place of a shelf; its books stay.',
    repeat: 'The same values again change nothing more.',
  },
  example: { shelf: 'reading-list', name: 'To read', color: '#3366cc', position: 0 },
  input: UpdateShelf,
  output: Shelf,
  run: updateShelf,
})
