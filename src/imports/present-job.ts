import type { NoInput } from '../accounts/schema.ts'
import { AppError } from '../core/errors.ts'
import type { JobId, JobList, OneJob, ShownJob } from './schema.ts'
import type { Job, JobStores } from './store.ts'
import type { Call } from '../core/context.ts'

const most = 100

/** The caller's last 100 import jobs, newest first. */
export async function listJobs(ctx: Call & JobStores, _: NoInput): Promise<JobList> {
  const jobs = await ctx.jobs.list(ctx.actor.id, most)
  return { jobs: jobs.map(showJob) }
}

/** One import job of the caller. */
export async function getJob(ctx: Call & JobStores, { jobId }: JobId): Promise<OneJob> {
  const job = await ctx.jobs.byId(ctx.actor.id, jobId)
  if (!job) throw new AppError('NOT_FOUND', 'Job not found')
  return { job: showJob(job) }
}

/** A job as callers see it. */
export function showJob(job: Job): ShownJob {
  const { id, itemId, type, status, progress, stage, error, errorCode, attempts, createdAt, updatedAt } = job
  return {
    id,
    itemId,
    type,
    status,
    progress,
    stage,
    error,
    errorCode,
    attempts,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
