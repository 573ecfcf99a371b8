import { ConfirmedUpload, UploadFile } from '../../src/imports/schema.ts'
import { uploadFile } from '../../src/imports/upload-file.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'upload_file',
  title: 'Upload a file in one request',
  description: 'Send a file as the body: it becomes a book whose import is queued. Follow it with GET /jobs/{jobId}.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'library_writes',
  mcp: false,
  rest: {
    method: 'PUT',
    otherMethods: ['POST'],
    path: '/upload/{filename}',
    queryFields: ['replacesItemId'],
    headerFields: { password: 'x-file-password' },
    fileBody: 'file',
  },
  idempotent: true,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'STORAGE_FULL'],
  input: UploadFile,
  output: ConfirmedUpload,
  run: uploadFile,
})
