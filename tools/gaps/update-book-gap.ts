import { updateGaps } from '../../src/gaps/answer-gaps.ts'
import { UpdatedGaps, UpdateGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_book_gap',
  title: 'Note progress on requests of readers',
  description: 'Note how far the author is with requests of an own book: open, clustered with others or in progress.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'PATCH', path: '/items/{itemId}/gaps', codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  input: UpdateGaps,
  output: UpdatedGaps,
  run: updateGaps,
})
