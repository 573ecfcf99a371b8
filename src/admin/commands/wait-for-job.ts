import { setTimeout as sleep } from 'node:timers/promises'
import { createExtractor } from '../../imports/extract/create-extractor.ts'
import { runImport } from '../../imports/run-import.ts'
import type { PresentedJob } from '../../imports/schema.ts'
import { presentJob } from '../../imports/present-job.ts'
import type { AdminContext } from './command.ts'

/** Time for a worker to start a job before the command line runs it itself, ms. */
const workerTimeoutMs = 3000
const pollIntervalMs = 200

/** Waits until a job has ended. Runs the job in this process if no worker starts it. */
export async function waitForJob(
  admin: AdminContext,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<PresentedJob> {
  const { jobs } = admin.services
  const started = performance.now()
  for (;;) {
    const job = await jobs.byId(accountId, jobId)
    if (!job) throw new Error(`Job ${jobId} no longer exists`)
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return presentJob(job)
    if (job.status === 'PENDING' && performance.now() - started > workerTimeoutMs) await runInProcess(admin, jobId)
    else await sleep(pollIntervalMs)
  }
}

async function runInProcess({ services, log, tuning }: AdminContext, jobId: string): Promise<void> {
  const extractor = createExtractor({ spare: false })
  try {
    await runImport({ ...services, extractor, log, leaseDurationMs: tuning.leaseMs }, jobId)
  } finally {
    await extractor.close()
  }
}
