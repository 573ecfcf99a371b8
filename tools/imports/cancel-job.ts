import { cancelJob } from '../../src/imports/cancel-job.ts'
import { JobRef, JobResult } from '../../src/imports/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'cancel_job',
  title: 'Cancel an import',
  description: 'Cancel a waiting or running import. The original file is kept. A finished import stays unchanged.',
  group: 'imports',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'library_writes',
  mcp: false,
  rest: { method: 'POST', path: '/jobs/{jobId}/cancel' },
  refusals: ['NOT_FOUND'],
  input: JobRef,
  output: JobResult,
  run: cancelJob,
})
