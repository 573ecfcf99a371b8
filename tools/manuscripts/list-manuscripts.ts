import { listManuscripts } from '../../src/manuscripts/list-manuscripts.ts'
import {
  ListManuscripts,
  ListManuscriptsQuery,
  ManuscriptList,
  WholeManuscriptList,
} from '../../src/manuscripts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_manuscripts',
  title: 'List manuscripts',
  description:
    'List manuscripts, the books that agents keep for the user, with what belongs in them. Long lists continue from nextCursor.',
  group: 'manuscripts',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  rest: { method: 'GET', path: '/manuscripts', output: WholeManuscriptList, input: ListManuscriptsQuery },
  example: { status: 'ACTIVE', cursor: 'MANUSCRIPTID', limit: 50 },
  input: ListManuscripts,
  output: ManuscriptList,
  run: listManuscripts,
})
