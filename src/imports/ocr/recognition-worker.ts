import { setTimeout as delay } from 'node:timers/promises'
import { runNextRecognition, type RecognitionServices, type RecognitionTimes } from './run-recognition.ts'

export interface RecognitionWorker {
  /** Ends the page that is being read and gives its book back. */
  stop(): Promise<void>
}

export interface WorkerTimes extends RecognitionTimes {
  /** How long to wait when there was nothing to do, ms. */
  pollIntervalMs: number
}

export const defaultTimes: WorkerTimes = { sliceMs: 20_000, publishAfterMs: 30_000, pollIntervalMs: 3000 }

/** Polls between two searches for books that a worker has left, or whose account did not get its turn because one died. */
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
  const { log } = services
  for (let polls = 0; !stop.aborted;) {
    try {
      if (polls % pollsPerSearch === 0) await rejoinRound(services)
      if (await runNextRecognition(services, times, stop)) continue
    } catch (err) {
      if (!stop.aborted) log.warn({ err }, 'text recognition interrupted; it continues when its lease has ended')
    }
    polls++
    await delay(times.pollIntervalMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
  }
}

/** Puts accounts back into the round whose worker died, or who were left out when a process died after it had stored their recognition. */
export async function rejoinRound({
  recognitions,
  importTurns,
  now,
}: Pick<RecognitionServices, 'recognitions' | 'importTurns' | 'now'>): Promise<void> {
  for (const accountId of await recognitions.listAccounts(now())) await importTurns.join(accountId, 'ocr')
}
