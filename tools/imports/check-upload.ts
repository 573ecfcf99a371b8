import { checkUpload } from '../../src/imports/check-upload.ts'
import { CheckUpload, UploadCandidates } from '../../src/imports/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'check_upload',
  title: 'Check an upload',
  description: 'Find your books that may already hold a file, best match first. The result is advisory.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'upload_check',
  costly: true,
  mcp: false,
  rest: { method: 'POST', path: '/upload/check', legacy: { codesWithoutCode: ['INVALID_INPUT', 'RATE_LIMITED'] } },
  input: CheckUpload,
  output: UploadCandidates,
  run: checkUpload,
})
