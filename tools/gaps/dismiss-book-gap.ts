import { dismissGaps } from '../../src/gaps/answer-gaps.ts'
import { DismissedGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'dismiss_book_gap',
  title: 'Dismiss reader requests',
  description: 'Dismiss reader requests for a book you own. Nobody is notified. You can restore them.',
  group: 'gaps',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/items/{itemId}/gaps/dismiss',
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  },
  refusals: ['NOT_FOUND'],
  input: SelectGaps,
  output: DismissedGaps,
  run: dismissGaps,
})
