import { setTimeout as delay } from 'node:timers/promises'
import { reportInIntervals } from '../runtime/report-in-intervals.ts'
import { embedNextBook, type EmbeddingWorkServices, type WorkTimes } from './embed-next-book.ts'
import { markOutdated } from './mark-book.ts'

export interface EmbeddingWorker {
  /** Aborts the current request and releases its book. */
  stop(): Promise<void>
}

export interface EmbeddingTimes extends WorkTimes {
  /** Delay after a poll that found nothing, ms. */
  pollIntervalMs: number
  /** Interval of searches for unmarked books and for parts without a book, ms. */
  surveyMs: number
}

export const embeddingTimes: EmbeddingTimes = {
  sliceMs: 20_000,
  leaseMs: 15 * 60_000,
  retryMs: 30_000,
  pollIntervalMs: 2000,
  surveyMs: 60 * 60_000,
}

/** Number of poll intervals between two searches for accounts with due books that are not in the round. */
const pollsPerRequeue = 10
/** Parts older than this that belong to no book were left by a crash, ms. */
const strayAfterMs = 10 * 60_000

/** Embeds pages in the background of this process, one book at a time, until it is stopped. */
export function startEmbedding(services: EmbeddingWorkServices, times: EmbeddingTimes): EmbeddingWorker {
  const stop = new AbortController()
  const done = run(services, times, stop.signal)
  return {
    async stop() {
      stop.abort(new Error('the server stops'))
      await done
    },
  }
}

async function run(services: EmbeddingWorkServices, times: EmbeddingTimes, stop: AbortSignal): Promise<void> {
  const { log, embedder, now } = services
  const report = reportInIntervals<unknown>((count, err) =>
    log.warn({ err, count }, 'embedding of pages interrupted; it continues when its lease has ended'),
  )
  let surveyedAt = -Infinity
  let requeuedAt = -Infinity
  while (!stop.aborted) {
    try {
      if (now().getTime() - surveyedAt >= times.surveyMs) {
        surveyedAt = now().getTime()
        await markOutdated(services)
        await removeStrayParts(services)
      }
      if (now().getTime() - requeuedAt >= times.pollIntervalMs * pollsPerRequeue) {
        requeuedAt = now().getTime()
        await requeueDue(services)
      }
      if (embedder.waitMs() === 0 && (await embedNextBook(services, times, stop))) continue
    } catch (err) {
      if (!stop.aborted) report(err)
    }
    await delay(times.pollIntervalMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
  }
}

/**
 * Puts accounts back into the round: those whose books are tried again after a failure, whose worker died, or whose
 * process died right after it had marked a book.
 */
export async function requeueDue({ embeddings, turns, now }: EmbeddingWorkServices): Promise<void> {
  for (const ownerId of await embeddings.listDueOwners(now())) await turns.join(ownerId, 'embedding')
}

/** Removes vectors stored by a process that crashed. */
export async function removeStrayParts({
  embeddings,
  now,
}: Pick<EmbeddingWorkServices, 'embeddings' | 'now'>): Promise<void> {
  await embeddings.removeParts(await embeddings.listStrayParts(new Date(now().getTime() - strayAfterMs)))
}
