import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { CreateManuscript, OneManuscriptResult } from '../../src/manuscripts/schema.ts'
import { defineTool } from '../../src/tool.ts'

export default defineTool({
  name: 'create_manuscript',
  title: 'Create a manuscript',
  description: 'Make an own book, or a new one, a manuscript: a book that you keep up from research sessions.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  bucket: 'none',
  rest: { method: 'POST', path: '/manuscripts', status: 201 },
  idempotent: true,
  input: CreateManuscript,
  output: OneManuscriptResult,
  run: createManuscript,
})
