import { updateGaps } from '../../src/gaps/answer-gaps.ts'
import { UpdatedGaps, UpdateGaps } from '../../src/gaps/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_book_gap',
  title: 'Set the status of reader requests',
  description: 'Set the status of reader requests for a book you own: OPEN, CLUSTERED or IN_PROGRESS.',
  group: 'gaps',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'PATCH', path: '/items/{itemId}/gaps', legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] } },
  refusals: ['NOT_FOUND'],
  input: UpdateGaps,
  output: UpdatedGaps,
  run: updateGaps,
})
