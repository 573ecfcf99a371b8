import { StartedUpload, StartUpload } from '../../src/imports/schema.ts'
import { startUpload } from '../../src/imports/start-upload.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'start_upload',
  title: 'Start an upload',
  description: 'Reserve a book for a file and get its upload URL. PUT the file there, then confirm the upload.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'library_writes',
  mcp: false,
  rest: { method: 'POST', path: '/upload', legacy: { codesWithoutCode: ['INVALID_INPUT'] } },
  idempotent: true,
  refusals: ['PLAN_LIMIT_EXCEEDED', 'STORAGE_FULL'],
  input: StartUpload,
  output: StartedUpload,
  run: startUpload,
})
