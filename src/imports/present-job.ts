import type { NoInput } from '../accounts/schema.ts'
import { AppError } from '../core/errors.ts'
import type { JobRef, JobList, JobResult, PresentedJob } from './schema.ts'
import type { Job, JobStores } from './store.ts'
import type { Call } from '../core/context.ts'

const maxListed = 100

/** The caller's last 100 import jobs, newest first. */
export async function listJobs(ctx: Call & JobStores, _: NoInput): Promise<JobList> {
  const jobs = await ctx.jobs.list(ctx.actor.id, maxListed)
  return { jobs: jobs.map(presentJob) }
}

/** One import job of the caller. Throws NOT_FOUND. */
export async function getJob(ctx: Call & JobStores, { jobId }: JobRef): Promise<JobResult> {
  const job = await ctx.jobs.byId(ctx.actor.id, jobId)
  if (!job) throw new AppError('NOT_FOUND', 'Job not found. List your imports with GET /api/v1/jobs.')
  return { job: presentJob(job) }
}

/** A job in a response. */
export function presentJob(job: Job): PresentedJob {
  const { id, itemId, type, status, progress, stage, pages = null, error, errorCode, attempts } = job
  return {
    id,
    itemId,
    type,
    status,
    progress,
    stage,
    pages,
    error,
    errorCode,
    attempts,
    createdAt: job.createdAt.toISOString(),
    updatedAt: job.updatedAt.toISOString(),
  }
}
