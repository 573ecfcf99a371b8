import { createShelf } from '../../src/shelves/create-shelf.ts'
import { CreateShelf, Shelf } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_shelf',
  title: 'Create a shelf',
  description: 'Create an empty shelf, placed last. Its name must be unique, ignoring case.',
  group: 'shelves',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/shelves', status: 201 },
  idempotent: true,
  justification: {
    effect: 'Adds an empty shelf; changes nothing that exists.',
    repeat: 'A second shelf of the same name is refused.',
  },
  example: { name: 'Reading list', color: '#3366cc' },
  refusals: ['SHELF_NAME_INVALID', 'SHELF_NAME_TAKEN', 'SHELF_LIMIT_EXCEEDED'],
  input: CreateShelf,
  output: Shelf,
  run: createShelf,
})
