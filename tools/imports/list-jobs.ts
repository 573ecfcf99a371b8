import { NoInput } from '../../src/accounts/schema.ts'
import { JobList } from '../../src/imports/schema.ts'
import { listJobs } from '../../src/imports/present-job.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_jobs',
  title: 'List imports',
  description: 'List the last 100 imports with their progress, newest first.',
  group: 'imports',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/jobs', events: { path: '/jobs/events', listField: 'jobs', eventName: 'job' } },
  input: NoInput,
  output: JobList,
  run: listJobs,
})
