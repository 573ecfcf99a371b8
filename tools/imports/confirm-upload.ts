import { confirmUpload } from '../../src/imports/confirm-upload.ts'
import { ConfirmedUpload, ConfirmUpload } from '../../src/imports/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'confirm_upload',
  title: 'Confirm an upload',
  description: 'Confirm an uploaded file and queue its import. Follow the import with GET /jobs/{jobId}.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'upload_confirms',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/upload/confirm',
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
  },
  refusals: ['NOT_FOUND', 'CONFLICT', 'ITEM_LOCKED', 'STORAGE_FULL'],
  input: ConfirmUpload,
  output: ConfirmedUpload,
  run: confirmUpload,
})
