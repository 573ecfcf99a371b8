import { ExtractionError } from './extraction-error.ts'
import type { ReaderProcess } from './reader-process.ts'

/**
 * The limits of one extraction. Time counts only while the server waits for the process, not while the process waits
 * for the sink.
 */
export interface ProcessLimits {
  /** Resident memory of the process, in bytes. */
  maxMemoryBytes: number
  /** Maximum milliseconds without a message, of processor time; of waiting for a process that does nothing, four times as many. */
  silenceTimeoutMs: number
  /** Maximum milliseconds from the arrival of the file to the first page, both of waiting and of processor time. */
  firstPageTimeoutMs: number
  /** Maximum milliseconds in total. */
  totalTimeoutMs: number
  /** Milliseconds between two samples. */
  sampleIntervalMs: number
}

export interface ProcessMonitor {
  /** Why the process was killed; null while it is within its limits. */
  killReason(): ExtractionError | null
  /** Waits for `work` of the process; only this time counts. */
  countTime<T>(work: Promise<T>): Promise<T>
  /** Starts the limit of the first page: the process has the file. */
  fileOpened(): void
  /** Ends the limit of the first page. */
  firstPageArrived(): void
  /** Kills the process with an error of the caller. */
  kill(error: ExtractionError): void
  /** The highest observed resident memory so far, in bytes. */
  peakRss(): number
  stop(): void
}

/** A wait for the process. */
interface Wait {
  waitedMs: number
  /** Processor time of the process when it began; null where the system does not provide it. */
  cpuMsBefore: number | null
}

/** What counts of a wait: processor time, so that a busy machine does no harm, but no more than was waited. */
function busyMs({ waitedMs, cpuMsBefore }: Wait, reader: ReaderProcess): number {
  const cpuMs = reader.cpuMs()
  return cpuMs === null || cpuMsBefore === null ? waitedMs : Math.min(waitedMs, cpuMs - cpuMsBefore)
}

/** How much longer than a process that works one may be silent that does nothing: it may be waiting for a processor. */
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
      // Here, and not with each message: asking the system costs more than many a message.
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
