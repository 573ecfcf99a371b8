import { setTimeout as sleep } from 'node:timers/promises'
import { createExtractor } from '../../imports/extract/create-extractor.ts'
import { isActive } from '../../imports/list-imports.ts'
import { runImport } from '../../imports/run-import.ts'
import type { PresentedJob } from '../../imports/schema.ts'
import type { Job } from '../../imports/store.ts'
import type { Progress } from '../progress.ts'
import { presentJob } from '../../imports/present-job.ts'
import type { AdminContext } from './command.ts'

/** How long to wait for a worker before the command line runs the job itself, ms. */
export const workerTimeoutMs = 3000
const pollIntervalMs = 200

interface WaitingJob {
  accountId: string
  jobId: string
  /** Email address of the account; null for the system account. */
  email: string | null
}

/**
 * Waits until a job has ended and shows its progress. Runs the job in this process if no worker starts it. On Ctrl-C,
 * says what happens to the job and exits with status 130.
 */
export async function waitForJob(admin: AdminContext, waiting: WaitingJob): Promise<PresentedJob> {
  const stop = () => {
    admin.progress.clear()
    const shown = waiting.email === null ? '' : ` lectern job list --email ${waiting.email} shows it.`
    process.stderr.write(`The import continues in a running server, or when one starts.${shown}\n`)
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    return await waitForEnd(admin, waiting)
  } finally {
    process.off('SIGINT', stop)
  }
}

async function waitForEnd(admin: AdminContext, waiting: WaitingJob): Promise<PresentedJob> {
  const started = performance.now()
  for (;;) {
    const job = await readJob(admin, waiting)
    if (!isActive(job)) return presentJob(job)
    showJob(admin.progress, job)
    if (job.status === 'PENDING' && performance.now() - started > workerTimeoutMs) await runInProcess(admin, waiting)
    else await sleep(pollIntervalMs)
  }
}

async function readJob({ services }: AdminContext, { accountId, jobId }: WaitingJob): Promise<Job> {
  const job = await services.jobs.byId(accountId, jobId)
  if (!job) throw new Error(`Job ${jobId} no longer exists`)
  return job
}

/** Display names for the stages of a job. */
const stageNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    waiting: 'Waiting for the import to start …',
    starting: 'The import has started …',
    reading: 'Reading the file …',
    done: 'Finishing …',
  }),
)

function showJob(progress: Progress, { stage, progress: percent }: Job): void {
  progress.show(stageNames.get(stage) ?? stage, percent > 0 ? percent : null)
}

async function runInProcess(admin: AdminContext, waiting: WaitingJob): Promise<void> {
  const { services, log, tuning, progress } = admin
  const extractor = createExtractor({ spare: false })
  const show = async () => showJob(progress, await readJob(admin, waiting))
  const timer = setInterval(() => void show().catch(() => {}), pollIntervalMs)
  try {
    await runImport({ ...services, extractor, log, leaseDurationMs: tuning.leaseMs }, waiting.jobId)
  } finally {
    clearInterval(timer)
    await extractor.close()
  }
}
