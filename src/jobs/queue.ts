import type { Agenda } from 'agenda'
import type { Queue } from '../imports/queue.ts'

/** The name of import jobs in the queue. */
export const importJobName = 'import'

/**
 * Agenda compares with the clock of each machine. A worker whose clock is slow by up to this (ms) still takes new jobs
 * at once.
 */
const maxClockSkewMs = 60 * 60_000

/** A queue that workers on any machine take from, oldest job first. Does not add a job that is already queued. */
export function createQueue(agenda: Agenda, now: () => Date): Queue {
  return {
    async enqueue(jobId) {
      const runAt = new Date(now().getTime() - maxClockSkewMs)
      await agenda.create(importJobName, { jobId }).unique({ 'data.jobId': jobId }).schedule(runAt).save()
    },
  }
}
