import { AppError } from '../core/errors.ts'
import { endProcessing } from './end-processing.ts'
import { extractionMessages } from './extract/extraction-error.ts'
import { failedHealth } from './assess-health.ts'
import type { JobRef, JobResult } from './schema.ts'
import { presentJob } from './present-job.ts'
import type { Call } from '../core/context.ts'
import type { JobStores } from './store.ts'
import type { BookStores } from '../books/store.ts'
import type { ContentStores } from '../reading/store.ts'

/**
 * Cancels a waiting or running import; an import that has ended stays unchanged. Keeps the original file. Throws
 * NOT_FOUND.
 */
export async function cancelJob(
  ctx: Call & JobStores & BookStores & ContentStores,
  { jobId }: JobRef,
): Promise<JobResult> {
  const job = await ctx.jobs.byId(ctx.actor.id, jobId)
  if (!job) throw new AppError('NOT_FOUND', 'Job not found. List your imports with GET /api/v1/jobs.')
  const error = extractionMessages.CANCELLED
  const updatedAt = ctx.now()
  const endState = { status: 'CANCELLED' as const, error, errorCode: 'CANCELLED', updatedAt }
  if (!(await ctx.jobs.end(jobId, endState))) return { job: presentJob(job) }
  await endProcessing(ctx, job, failedHealth('CANCELLED'))
  return { job: presentJob({ ...job, ...endState }) }
}
