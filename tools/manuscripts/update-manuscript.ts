import { ManuscriptResult, WholeManuscriptResult, UpdateManuscript } from '../../src/manuscripts/schema.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_manuscript',
  title: 'Update a manuscript',
  description: 'Change fields of a manuscript; "" clears a text. PAUSED and ARCHIVED ones take no plan slot.',
  group: 'manuscripts',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  rest: {
    method: 'PUT',
    path: '/manuscripts/{id}',
    output: WholeManuscriptResult,
    legacy: {
      fieldNames: { id: 'manuscriptId' },
      invalidInputPrefix: 'Invalid request body',
      codesWithoutCode: ['INVALID_INPUT'],
      clientNeeds: { agent: 'ck-cli/', upgradePath: true },
    },
  },
  justification: {
    effect: "Changes a manuscript's fields; the text of its book stays unchanged.",
    repeat: 'Repeating the same values changes nothing.',
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
  refusals: [
    'NOT_FOUND',
    'FORBIDDEN',
    'MANUSCRIPT_LIMIT_EXCEEDED',
    'MANUSCRIPT_ITEM_CONFLICT',
    'NOT_TEAM_MEMBER',
    'TEAM_SUBSCRIPTION_REQUIRED',
    'ITEM_NOT_FOUND',
    'TRANSIENT_CONFLICT',
  ],
  input: UpdateManuscript,
  output: ManuscriptResult,
  run: updateManuscript,
})
