import type { Agenda } from 'agenda'
import type { Queue } from '../context.ts'

/** The name under which import work waits in the queue. */
export const importWork = 'import'

/** A queue that workers on any machine take from. A job that waits already is not added twice. */
export function createQueue(agenda: Agenda): Queue {
  return {
    async enqueue(jobId) {
      await agenda.create(importWork, { jobId }).unique({ 'data.jobId': jobId }).schedule(new Date()).save()
    },
  }
}
