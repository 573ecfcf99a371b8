import { setTimeout as delay } from 'node:timers/promises'
import { reportInIntervals } from '../../runtime/report-in-intervals.ts'
import { runNextRecognition, type RecognitionServices, type RecognitionTimes } from './run-recognition.ts'

export interface RecognitionWorker {
  /** Stops the current page and releases its book. */
  stop(): Promise<void>
}

export interface WorkerTimes extends RecognitionTimes {
  /** Delay after a poll that found nothing, ms. */
  pollIntervalMs: number
}

export const defaultTimes: WorkerTimes = { sliceMs: 20_000, publishAfterMs: 30_000, pollIntervalMs: 3000 }

/**
 * Number of polls between two searches for abandoned books and for accounts that lost their turn because a worker died.
 */
const pollsPerSearch = 10

/** Recognises pages in the background of this process, one at a time, until it is stopped. */
export function startRecognition(services: RecognitionServices, times: WorkerTimes = defaultTimes): RecognitionWorker {
  const stop = new AbortController()
  const done = run(services, times, stop.signal)
  return {
    async stop() {
      stop.abort(new Error('the server stops'))
      await done
    },
  }
}

async function run(services: RecognitionServices, times: WorkerTimes, stop: AbortSignal): Promise<void> {
  const report = reportInIntervals<unknown>((count, err) =>
    services.log.warn({ err, count }, 'text recognition interrupted; it continues when its lease has ended'),
  )
  for (let polls = 0; !stop.aborted;) {
    try {
      if (polls % pollsPerSearch === 0) await requeueWaiting(services)
      if (await runNextRecognition(services, times, stop)) continue
    } catch (err) {
      if (!stop.aborted) report(err)
    }
    polls++
    await delay(times.pollIntervalMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
  }
}

/**
 * Puts accounts back into the round: those whose worker died, and those whose process died right after it had stored
 * their recognition.
 */
export async function requeueWaiting({
  recognitions,
  turns,
  now,
}: Pick<RecognitionServices, 'recognitions' | 'turns' | 'now'>): Promise<void> {
  for (const accountId of await recognitions.listAccounts(now())) await turns.join(accountId, 'ocr')
}
