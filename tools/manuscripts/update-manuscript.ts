import { OneManuscriptResult, UpdateManuscript } from '../../src/manuscripts/schema.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { defineTool } from '../../src/tool.ts'

export default defineTool({
  name: 'update_manuscript',
  title: 'Change a manuscript',
  description: 'Change what is given of a manuscript; null clears a text. PAUSED and ARCHIVED ones hold no plan slot.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  bucket: 'none',
  rest: {
    method: 'PUT',
    path: '/manuscripts/{id}',
    rename: { id: 'manuscriptId' },
    invalid: 'Invalid request body',
    withoutCode: ['INVALID_INPUT'],
  },
  input: UpdateManuscript,
  output: OneManuscriptResult,
  run: updateManuscript,
})
