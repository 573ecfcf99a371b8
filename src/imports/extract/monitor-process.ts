import { ExtractionError } from './extraction-error.ts'
import type { ReaderProcess } from './reader-process.ts'

/** What one extraction may use. Times count only while the reading process is to deliver, not while it waits for the sink. */
export interface ProcessLimits {
  /** Resident memory of the process, in bytes. */
  maxMemoryBytes: number
  /** Milliseconds without a message. */
  silenceTimeoutMs: number
  /** Milliseconds in all. */
  totalTimeoutMs: number
  /** Milliseconds between two looks. */
  sampleIntervalMs: number
}

export interface ProcessMonitor {
  /** Why the process was killed; null while it is within its limits. */
  killReason(): ExtractionError | null
  /** Waits for what the process does next; only this time counts. */
  countTime<T>(work: Promise<T>): Promise<T>
  /** Kills the process for a reason of the caller. */
  kill(error: ExtractionError): void
  /** Highest resident memory seen until now, in bytes. */
  peakRss(): number
  stop(): void
}

/** Kills `reader` as soon as it passes a limit. Call `stop` when the book is through. */
export function monitorProcess(reader: ReaderProcess, limits: ProcessLimits): ProcessMonitor {
  let killReason: ExtractionError | null = null
  let isCounting = false
  let silentMs = 0
  let totalMs = 0
  let peakRssBytes = 0
  let lastSampleAt = performance.now()

  const kill = (error: ExtractionError) => {
    killReason ??= error
    reader.kill()
  }
  const sample = () => {
    // When the server itself was held up, a long gap says nothing about the process.
    const elapsed = Math.min(performance.now() - lastSampleAt, 2 * limits.sampleIntervalMs)
    lastSampleAt = performance.now()
    if (isCounting) {
      silentMs += elapsed
      totalMs += elapsed
    }
    peakRssBytes = Math.max(peakRssBytes, reader.rss())
    if (peakRssBytes > limits.maxMemoryBytes)
      kill(new ExtractionError('OUT_OF_MEMORY', `${peakRssBytes} bytes of memory in use`))
    else if (silentMs > limits.silenceTimeoutMs)
      kill(new ExtractionError('TIMED_OUT', `silent for ${limits.silenceTimeoutMs} ms`))
    else if (totalMs > limits.totalTimeoutMs)
      kill(new ExtractionError('TIMED_OUT', `not done after ${limits.totalTimeoutMs} ms`))
  }
  const timer = setInterval(sample, limits.sampleIntervalMs)

  return {
    killReason: () => killReason,
    countTime: async (work) => {
      silentMs = 0
      isCounting = true
      try {
        return await work
      } finally {
        isCounting = false
      }
    },
    kill,
    peakRss: () => {
      peakRssBytes = Math.max(peakRssBytes, reader.rss())
      return peakRssBytes
    },
    stop: () => clearInterval(timer),
  }
}
