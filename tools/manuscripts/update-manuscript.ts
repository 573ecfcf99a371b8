import { ManuscriptResult, UpdateManuscript } from '../../src/manuscripts/schema.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_manuscript',
  title: 'Change a manuscript',
  description: 'Change what is given of a manuscript; null clears a text. PAUSED and ARCHIVED ones hold no plan slot.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'PUT',
    path: '/manuscripts/{id}',
    fieldNames: { id: 'manuscriptId' },
    invalidInputPrefix: 'Invalid request body',
    codesWithoutCode: ['INVALID_INPUT'],
  },
  justification: {
    effect: 'Changes what a manuscript says of itself; the text of its book stays.',
    repeat: 'The same values again change nothing more.',
  },
  example: {
    manuscriptId: 'MANUSCRIPTID',
    title: 'What we learnt',
    description: null,
    audience: 'New colleagues',
    topics: ['testing'],
    criteria: ['Something went wrong and we know why'],
    trigger: 'after an incident',
    instructions: 'One chapter for each incident.',
    autoUpdate: false,
    itemId: 'BOOKID',
    teamId: 'TEAMID',
    structure: { chapters: 'by date' },
    status: 'PAUSED',
  },
  input: UpdateManuscript,
  output: ManuscriptResult,
  run: updateManuscript,
})
