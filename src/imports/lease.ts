import type { Log, Clock } from '../core/context.ts'
import type { Job, JobStores } from './store.ts'

export interface Lease {
  /** Aborted when another worker has taken the job over, or it was cancelled. */
  readonly signal: AbortSignal
  /** Notes progress; it reaches the store with the next sign of life, at most once a second. */
  report(stage: string, progress: number): void
  /** True while the job is still this worker's. */
  held(): Promise<boolean>
  /** Ends the job, unless it is no longer this worker's. */
  finish(end: Pick<Job, 'status'> & Partial<Pick<Job, 'error' | 'errorCode'>>): Promise<void>
  /** Lets another worker have the job, with `attempts` behind it. */
  giveBack(attempts: number): Promise<void>
  /** Stops the signs of life. */
  release(): Promise<void>
}

interface LeaseServices extends Clock, JobStores {
  log: Log
  leaseMs: number
}

/** Keeps a claimed job by signs of life, three in the time after which another worker may take it. */
export function holdLease(services: LeaseServices, { jobId, fence }: { jobId: string; fence: string }): Lease {
  const { jobs, now, log, leaseMs } = services
  const lost = new AbortController()
  let latest: Partial<Job> = {}
  let beating: Promise<void> = Promise.resolve()
  const renew = async () => {
    const at = now()
    const change = { ...latest, leaseUntil: new Date(at.getTime() + leaseMs), updatedAt: at }
    if (!(await jobs.update(jobId, fence, change))) lost.abort(new Error('the job is no longer this worker’s'))
  }
  const beat = () => {
    beating = beating.then(renew).catch((err) => log.warn({ err, jobId }, 'could not renew the lease of a job'))
  }
  const timer = setInterval(beat, Math.floor(leaseMs / 3))
  let reported = 0
  return {
    signal: lost.signal,
    report(stage, progress) {
      latest = { stage, progress }
      if (performance.now() - reported < 1000) return
      reported = performance.now()
      beat()
    },
    async held() {
      await renew()
      return !lost.signal.aborted
    },
    async finish({ status, error, errorCode }) {
      clearInterval(timer)
      await beating
      const stage = status === 'SUCCEEDED' ? 'done' : 'ended'
      const progress = status === 'SUCCEEDED' ? { progress: 100 } : {}
      const change = { status, stage, ...progress, error: error ?? null, errorCode: errorCode ?? null }
      await jobs.update(jobId, fence, { ...change, leaseUntil: null, updatedAt: now() })
    },
    async giveBack(attempts) {
      clearInterval(timer)
      await beating
      const change = { status: 'PENDING', stage: 'waiting', progress: 0, attempts } as const
      await jobs.update(jobId, fence, { ...change, fence: null, leaseUntil: null, updatedAt: now() })
    },
    async release() {
      clearInterval(timer)
      await beating
    },
  }
}
