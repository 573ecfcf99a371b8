import { setTimeout as sleep } from 'node:timers/promises'
import { createExtractor } from '../imports/extract/create-extractor.ts'
import { runImport } from '../imports/run-import.ts'
import type { ShownJob } from '../imports/schema.ts'
import { showJob } from '../imports/present-job.ts'
import type { AdminContext } from './commands/command.ts'

/** How long a worker has to take a job before the command line does the work itself, ms. */
const patienceMs = 3000
const pollMs = 200

/** Waits until a job has ended. Where no worker runs, the job is done here. */
export async function waitForJob(
  admin: AdminContext,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<ShownJob> {
  const { jobs } = admin.services
  const started = performance.now()
  for (;;) {
    const job = await jobs.byId(accountId, jobId)
    if (!job) throw new Error(`Job ${jobId} is gone`)
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return showJob(job)
    if (job.status === 'PENDING' && performance.now() - started > patienceMs) await runHere(admin, jobId)
    else await sleep(pollMs)
  }
}

async function runHere({ services, log, tuning }: AdminContext, jobId: string): Promise<void> {
  const extractor = createExtractor({ spare: false })
  try {
    await runImport({ ...services, extractor, log, leaseMs: tuning.leaseMs }, jobId)
  } finally {
    await extractor.close()
  }
}
