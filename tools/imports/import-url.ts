import { ConfirmedUpload, ImportUrl } from '../../src/imports/schema.ts'
import { importUrl } from '../../src/imports/import-url.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'import_url',
  title: 'Import a file from the web',
  description:
    'Fetch a file from an https address: it becomes a book whose import is queued. Follow it with GET /jobs/{jobId}.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  rateBucket: 'reprocessing',
  mcp: false,
  rest: { method: 'POST', path: '/imports/url' },
  idempotent: true,
  refusals: ['FORBIDDEN', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'STORAGE_FULL'],
  input: ImportUrl,
  output: ConfirmedUpload,
  run: importUrl,
})
