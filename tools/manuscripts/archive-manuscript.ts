import { archiveManuscript } from '../../src/manuscripts/archive-manuscript.ts'
import { ArchivedManuscript, ManuscriptRef } from '../../src/manuscripts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'archive_manuscript',
  title: 'Archive a manuscript',
  description: 'Archive a manuscript. Its updates stop and its slot is free; the book stays. Ask the user first.',
  group: 'manuscripts',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/manuscripts/{id}', legacy: { fieldNames: { id: 'manuscriptId' } } },
  justification: {
    effect: 'Stops updates of a manuscript; its book stays.',
    repeat: 'An archived manuscript stays archived.',
  },
  example: { manuscriptId: 'MANUSCRIPTID' },
  refusals: ['NOT_FOUND', 'FORBIDDEN'],
  input: ManuscriptRef,
  output: ArchivedManuscript,
  run: archiveManuscript,
})
