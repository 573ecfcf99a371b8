import { confirmUpload } from '../../src/imports/confirm-upload.ts'
import { ConfirmedUpload, ConfirmUpload } from '../../src/imports/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'confirm_upload',
  title: 'Confirm an upload',
  description: 'Take the file that was sent into the library and queue its import. Follow it with GET /jobs/{jobId}.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'POST', path: '/upload/confirm', codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
  input: ConfirmUpload,
  output: ConfirmedUpload,
  run: confirmUpload,
})
