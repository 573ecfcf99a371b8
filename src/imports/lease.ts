import type { Log, Clock } from '../core/context.ts'
import type { Job, JobStores } from './store.ts'

export interface Lease {
  /** Aborted when another worker has taken over the job, or the job was cancelled. */
  readonly signal: AbortSignal
  /** Records progress (percent) and the pages read so far; the next heartbeat stores it, at most once a second. */
  report(stage: string, progress: number, pages?: Job['pages']): void
  /** Renews the lease; returns whether the job still belongs to this worker. */
  isHeld(): Promise<boolean>
  /** Ends the job, unless it no longer belongs to this worker. */
  endJob(end: Pick<Job, 'status'> & Partial<Pick<Job, 'error' | 'errorCode'>>): Promise<void>
  /** Returns the job to the queue for another worker and sets its count of attempts to `attempts`. */
  releaseJob(attempts: number): Promise<void>
  /** Stops the heartbeats. */
  stopHeartbeat(): Promise<void>
}

interface LeaseServices extends Clock, JobStores {
  log: Log
  leaseDurationMs: number
}

/**
 * Starts the heartbeats of a claimed job: three per lease period. Without them, another worker may take over after the
 * lease expires.
 */
export function startLease(services: LeaseServices, { jobId, fence }: { jobId: string; fence: string }): Lease {
  const { jobs, now, log, leaseDurationMs } = services
  const lostController = new AbortController()
  let latestProgress: Partial<Job> = {}
  let lastHeartbeat: Promise<void> = Promise.resolve()
  const renew = async () => {
    const at = now()
    const change = { ...latestProgress, leaseUntil: new Date(at.getTime() + leaseDurationMs), updatedAt: at }
    if (!(await jobs.update(jobId, fence, change)))
      lostController.abort(new Error('another worker has the job, or it was cancelled'))
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
    report(stage, progress, pages) {
      latestProgress = { stage, progress, ...(pages ? { pages } : {}) }
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
      const retry = attempts > 0 ? 1 : 0
      const change = { status: 'PENDING', stage: 'waiting', progress: 0, attempts, retry } as const
      await jobs.update(jobId, fence, { ...change, fence: null, leaseUntil: null, updatedAt: now() })
    },
    async stopHeartbeat() {
      clearInterval(timer)
      await lastHeartbeat
    },
  }
}
