import { JobRef, JobResult } from '../../src/imports/schema.ts'
import { getJob } from '../../src/imports/present-job.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_job',
  title: 'Get an import',
  description: 'Get an import with its progress and, if it failed, the reason.',
  group: 'imports',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/jobs/{jobId}' },
  refusals: ['NOT_FOUND'],
  input: JobRef,
  output: JobResult,
  run: getJob,
})
