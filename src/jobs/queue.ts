import type { Agenda } from 'agenda'
import type { Queue } from '../imports/queue.ts'

/** The name under which import work waits in the queue. */
export const importJobName = 'import'

/** Agenda goes by the clock of each machine: by so much it may be slow, ms, and its worker still takes what was just added. */
const maxClockSkewMs = 60 * 60_000

/** A queue that workers on any machine take from, the oldest first. A job that waits already is not added twice. */
export function createQueue(agenda: Agenda, now: () => Date): Queue {
  return {
    async enqueue(jobId) {
      const runAt = new Date(now().getTime() - maxClockSkewMs)
      await agenda.create(importJobName, { jobId }).unique({ 'data.jobId': jobId }).schedule(runAt).save()
    },
  }
}
