import { ExtractionError } from './extraction-error.ts'
import type { ReaderProcess } from './reader-process.ts'

/**
 * The limits of one extraction. Time counts only while the server waits for the process, not while the process waits
 * for the sink.
 */
export interface ProcessLimits {
  /** Resident memory of the process, in bytes. */
  maxMemoryBytes: number
  /**
   * Maximum processor time without a message, ms. For an idle process, the limit is four times as much waiting time.
   */
  silenceTimeoutMs: number
  /** Maximum time from the arrival of the file to the first page, ms; applies both to waiting and to processor time. */
  firstPageTimeoutMs: number
  /** Maximum milliseconds in total. */
  totalTimeoutMs: number
  /** Interval between samples, ms. */
  sampleIntervalMs: number
}

export interface ProcessMonitor {
  /** Why the process was killed; null while it is within its limits. */
  killReason(): ExtractionError | null
  /** Waits for `work` of the process; only this time counts towards the limits. */
  countTime<T>(work: Promise<T>): Promise<T>
  /** Starts the limit for the first page, because the process has received the file. */
  fileOpened(): void
  /** Ends the limit for the first page. */
  firstPageArrived(): void
  /** Kills the process and reports the caller's error. */
  kill(error: ExtractionError): void
  /** The highest observed resident memory so far, in bytes. */
  peakRss(): number
  stop(): void
}

/** A wait for the process. */
interface Wait {
  waitedMs: number
  /** Processor time of the process at the start of the wait; null if the system does not provide it. */
  cpuMsBefore: number | null
}

/**
 * The time of a wait that counts: processor time, so that a busy machine causes no timeout, but at most the elapsed
 * time.
 */
function busyMs({ waitedMs, cpuMsBefore }: Wait, reader: ReaderProcess): number {
  const cpuMs = reader.cpuMs()
  return cpuMs === null || cpuMsBefore === null ? waitedMs : Math.min(waitedMs, cpuMs - cpuMsBefore)
}

/** An idle process may be silent this many times as long as a busy one, because it may be waiting for a processor. */
const idleFactor = 4

/** Kills `reader` as soon as it exceeds a limit. Call `stop` when the book is complete. */
export function monitorProcess(reader: ReaderProcess, limits: ProcessLimits): ProcessMonitor {
  let killReason: ExtractionError | null = null
  let isCounting = false
  let silence: Wait = { waitedMs: 0, cpuMsBefore: null }
  let totalMs = 0
  let peakRssBytes = 0
  let lastSampleAt = performance.now()
  let opening: Wait | null = null

  const kill = (error: ExtractionError) => {
    killReason ??= error
    reader.kill()
  }
  const sample = () => {
    // A long gap may mean that the server itself was blocked, so at most two intervals count.
    const elapsed = Math.min(performance.now() - lastSampleAt, 2 * limits.sampleIntervalMs)
    lastSampleAt = performance.now()
    if (isCounting) {
      // Sampled here and not per message, because asking the system costs more than handling many messages.
      if (silence.waitedMs === 0) silence.cpuMsBefore = reader.cpuMs()
      silence.waitedMs += elapsed
      totalMs += elapsed
      if (opening) opening.waitedMs += elapsed
    }
    peakRssBytes = Math.max(peakRssBytes, reader.rss())
    if (peakRssBytes > limits.maxMemoryBytes)
      kill(new ExtractionError('OUT_OF_MEMORY', `${peakRssBytes} bytes of memory in use`))
    else if (Math.max(busyMs(silence, reader), silence.waitedMs / idleFactor) > limits.silenceTimeoutMs)
      kill(new ExtractionError('TIMED_OUT', `silent for ${Math.round(silence.waitedMs)} ms`))
    else if (opening && busyMs(opening, reader) > limits.firstPageTimeoutMs)
      kill(new ExtractionError('TIMED_OUT', `no page after ${limits.firstPageTimeoutMs} ms`))
    else if (totalMs > limits.totalTimeoutMs)
      kill(new ExtractionError('TIMED_OUT', `not done after ${limits.totalTimeoutMs} ms`))
  }
  const timer = setInterval(sample, limits.sampleIntervalMs)

  return {
    killReason: () => killReason,
    countTime: async (work) => {
      silence = { waitedMs: 0, cpuMsBefore: null }
      isCounting = true
      try {
        return await work
      } finally {
        isCounting = false
      }
    },
    fileOpened: () => {
      opening = { waitedMs: 0, cpuMsBefore: reader.cpuMs() }
    },
    firstPageArrived: () => {
      opening = null
    },
    kill,
    peakRss: () => {
      peakRssBytes = Math.max(peakRssBytes, reader.rss())
      return peakRssBytes
    },
    stop: () => clearInterval(timer),
  }
}
