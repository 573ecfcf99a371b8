import { ExtractionError } from './extraction-error.ts'
import type { ReaderProcess } from './reader-process.ts'

/** What one extraction may use. Times count only while the reading process is to deliver, not while it waits for the sink. */
export interface WatchLimits {
  /** Resident memory of the process, in bytes. */
  memoryBytes: number
  /** Milliseconds without a message. */
  silenceMs: number
  /** Milliseconds in all. */
  totalMs: number
  /** Milliseconds between two looks. */
  sampleMs: number
}

export interface Watch {
  /** Why the process was killed; null while it is within its limits. */
  verdict(): ExtractionError | null
  /** Waits for what the process does next; only this time counts. */
  during<T>(work: Promise<T>): Promise<T>
  /** Kills the process for a reason of the caller. */
  end(error: ExtractionError): void
  /** Highest resident memory seen until now, in bytes. */
  peakRss(): number
  stop(): void
}

/** Kills `reader` as soon as it passes a limit. Call `stop` when the book is through. */
export function watch(reader: ReaderProcess, limits: WatchLimits): Watch {
  let verdict: ExtractionError | null = null
  let waiting = false
  let silent = 0
  let total = 0
  let peak = 0
  let last = performance.now()

  const end = (error: ExtractionError) => {
    verdict ??= error
    reader.kill()
  }
  const look = () => {
    // When the server itself was held up, a long gap says nothing about the process.
    const elapsed = Math.min(performance.now() - last, 2 * limits.sampleMs)
    last = performance.now()
    if (waiting) {
      silent += elapsed
      total += elapsed
    }
    peak = Math.max(peak, reader.rss())
    if (peak > limits.memoryBytes) end(new ExtractionError('OUT_OF_MEMORY', `${peak} bytes of memory in use`))
    else if (silent > limits.silenceMs) end(new ExtractionError('TIMED_OUT', `silent for ${limits.silenceMs} ms`))
    else if (total > limits.totalMs) end(new ExtractionError('TIMED_OUT', `not done after ${limits.totalMs} ms`))
  }
  const timer = setInterval(look, limits.sampleMs)

  return {
    verdict: () => verdict,
    during: async (work) => {
      silent = 0
      waiting = true
      try {
        return await work
      } finally {
        waiting = false
      }
    },
    end,
    peakRss: () => {
      peak = Math.max(peak, reader.rss())
      return peak
    },
    stop: () => clearInterval(timer),
  }
}
