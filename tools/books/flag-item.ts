import { FlaggedItem, FlagItem } from '../../src/books/enrich-schema.ts'
import { flagItem } from '../../src/books/flag-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'flag_item',
  title: 'Flag a book',
  description: 'Add a book you own to the enrichment queue.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/items/flag', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  justification: {
    effect: 'Marks a book as needing better metadata; deletes nothing.',
    repeat: 'A flagged book stays flagged.',
  },
  example: { itemId: 'BOOKID' },
  refusals: ['NOT_FOUND', 'FORBIDDEN'],
  input: FlagItem,
  output: FlaggedItem,
  run: flagItem,
})
