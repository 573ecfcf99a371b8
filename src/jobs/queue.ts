import type { Agenda } from 'agenda'
import { roundsOf, type Round } from '../imports/lane.ts'
import type { ExpectedFile, Queue } from '../imports/queue.ts'

/** The names of import jobs in the queue. */
export const importJobNames: Record<Round, string> = { layout: 'import', text: 'import-text', short: 'import-short' }

/**
 * Agenda compares with the clock of each machine. A worker whose clock is slow by up to this (ms) still takes new jobs
 * at once.
 */
const maxClockSkewMs = 60 * 60_000

/**
 * A queue for workers on any machine. An entry is a permit to run one import of a round; which one is decided when the
 * entry is taken. Does not add a second entry for a job.
 */
export function createQueue(agenda: Agenda, now: () => Date): Queue {
  let prepareFor: ((file: ExpectedFile) => void) | null = null
  return {
    expect: (file) => prepareFor?.(file),
    onExpected(prepare) {
      prepareFor = prepare
    },
    async enqueue({ id: jobId, lane }) {
      const runAt = new Date(now().getTime() - maxClockSkewMs)
      for (const round of roundsOf(lane)) {
        await agenda.create(importJobNames[round], { jobId }).unique({ 'data.jobId': jobId }).schedule(runAt).save()
      }
    },
  }
}
