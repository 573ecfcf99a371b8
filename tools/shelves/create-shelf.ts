import { createShelf } from '../../src/shelves/create-shelf.ts'
import { CreateShelf, Shelf } from '../../src/shelves/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_shelf',
  title: 'Create a shelf',
  description: 'Make an empty shelf behind the others. Its name must differ from theirs in more than case.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/shelves', status: 201 },
  idempotent: true,
  justification: {
    effect: 'Adds an empty shelf; nothing that exists is changed.',
    repeat: 'A second shelf of the same name is refused.',
  },
  example: { name: 'Reading list', color: '#3366cc' },
  input: CreateShelf,
  output: Shelf,
  run: createShelf,
})
