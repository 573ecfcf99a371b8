import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { CreateManuscript, ManuscriptResult, WholeManuscriptResult } from '../../src/manuscripts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_manuscript',
  title: 'Create a manuscript',
  description:
    'Create a manuscript from a book you own or a new one: a book that you keep up to date from research sessions.',
  group: 'manuscripts',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/manuscripts',
    output: WholeManuscriptResult,
    status: 201,
    legacy: { clientNeeds: { agent: 'ck-cli/', upgradePath: true } },
  },
  idempotent: true,
  justification: {
    effect: 'Adds a manuscript, and a book for it if none is named; changes nothing that exists.',
    repeat: 'A second call adds a second one, unless it carries the same idempotencyKey.',
  },
  example: {
    title: 'What we learnt',
    description: 'Findings of the team',
    audience: 'New colleagues',
    topics: ['testing'],
    criteria: ['Something went wrong and we know why'],
    trigger: 'after an incident',
    instructions: 'One chapter for each incident.',
    autoUpdate: false,
    itemId: 'BOOKID',
    teamId: 'TEAMID',
    structure: { chapters: 'by date' },
  },
  refusals: [
    'PLAN_LIMIT_EXCEEDED',
    'MANUSCRIPT_LIMIT_EXCEEDED',
    'MANUSCRIPT_ITEM_CONFLICT',
    'NOT_TEAM_MEMBER',
    'TEAM_SUBSCRIPTION_REQUIRED',
    'ITEM_NOT_FOUND',
  ],
  input: CreateManuscript,
  output: ManuscriptResult,
  run: createManuscript,
})
