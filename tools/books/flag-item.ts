import { FlaggedItem, FlagItem } from '../../src/books/enrich-schema.ts'
import { flagItem } from '../../src/books/flag-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'flag_item',
  title: 'Flag a book',
  description: 'Put an own book into the enrichment queue.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/items/flag', codesWithoutCode: ['INVALID_INPUT'] },
  justification: {
    effect: 'Marks a book as needing better metadata; nothing is lost by it.',
    repeat: 'A book that is marked stays marked.',
  },
  example: { itemId: 'BOOKID' },
  input: FlagItem,
  output: FlaggedItem,
  run: flagItem,
})
