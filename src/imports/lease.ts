import type { Log, Clock } from '../core/context.ts'
import type { Job, JobStores } from './store.ts'

export interface Lease {
  /** Aborted when another worker has taken the job over, or it was cancelled. */
  readonly signal: AbortSignal
  /** Notes progress; it reaches the store with the next sign of life, at most once a second. */
  report(stage: string, progress: number): void
  /** True while the job is still this worker's. */
  isHeld(): Promise<boolean>
  /** Ends the job, unless it is no longer this worker's. */
  endJob(end: Pick<Job, 'status'> & Partial<Pick<Job, 'error' | 'errorCode'>>): Promise<void>
  /** Lets another worker have the job, with `attempts` behind it. */
  releaseJob(attempts: number): Promise<void>
  /** Stops the signs of life. */
  stopHeartbeat(): Promise<void>
}

interface LeaseServices extends Clock, JobStores {
  log: Log
  leaseDurationMs: number
}

/** Keeps a claimed job by signs of life, three in the time after which another worker may take it. */
export function startLease(services: LeaseServices, { jobId, fence }: { jobId: string; fence: string }): Lease {
  const { jobs, now, log, leaseDurationMs } = services
  const lostController = new AbortController()
  let latestProgress: Partial<Job> = {}
  let lastHeartbeat: Promise<void> = Promise.resolve()
  const renew = async () => {
    const at = now()
    const change = { ...latestProgress, leaseUntil: new Date(at.getTime() + leaseDurationMs), updatedAt: at }
    if (!(await jobs.update(jobId, fence, change)))
      lostController.abort(new Error('the job is no longer this worker’s'))
  }
  const heartbeat = () => {
    lastHeartbeat = lastHeartbeat
      .then(renew)
      .catch((err) => log.warn({ err, jobId }, 'could not renew the lease of a job'))
  }
  const timer = setInterval(heartbeat, Math.floor(leaseDurationMs / 3))
  let lastReportAt = 0
  return {
    signal: lostController.signal,
    report(stage, progress) {
      latestProgress = { stage, progress }
      if (performance.now() - lastReportAt < 1000) return
      lastReportAt = performance.now()
      heartbeat()
    },
    async isHeld() {
      await renew()
      return !lostController.signal.aborted
    },
    async endJob({ status, error, errorCode }) {
      clearInterval(timer)
      await lastHeartbeat
      const stage = status === 'SUCCEEDED' ? 'done' : 'ended'
      const progress = status === 'SUCCEEDED' ? { progress: 100 } : {}
      const change = { status, stage, ...progress, error: error ?? null, errorCode: errorCode ?? null }
      await jobs.update(jobId, fence, { ...change, leaseUntil: null, updatedAt: now() })
    },
    async releaseJob(attempts) {
      clearInterval(timer)
      await lastHeartbeat
      const change = { status: 'PENDING', stage: 'waiting', progress: 0, attempts } as const
      await jobs.update(jobId, fence, { ...change, fence: null, leaseUntil: null, updatedAt: now() })
    },
    async stopHeartbeat() {
      clearInterval(timer)
      await lastHeartbeat
    },
  }
}
