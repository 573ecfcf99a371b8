import { dismissGaps } from '../../src/gaps/answer-gaps.ts'
import { DismissedGaps, SelectGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'dismiss_book_gap',
  title: 'Dismiss requests of readers',
  description: 'Set requests of an own book aside; no one is notified, and they can be restored.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'POST', path: '/items/{itemId}/gaps/dismiss', codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  input: SelectGaps,
  output: DismissedGaps,
  run: dismissGaps,
})
