import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../formats/format.ts'
import type { SourceType } from './messages.ts'
import type { PageCounts } from '../../text/page-counts.ts'

/** Reads book files in child processes, so that no file can harm or stop the server. */
export interface Extractor {
  /**
   * Reads one file and hands it to `sink` in order. Rejects with `ExtractionError`, or with what the sink threw; no call
   * to the sink is running or follows once it has settled.
   */
  extract(job: ExtractionJob, sink: ExtractionSink): Promise<ExtractionSummary>
  /** Starts a process ahead, for a book that is about to come. */
  warmUp(): void
  /** Ids of the child processes that are up. */
  pids(): number[]
  /** Kills all processes and cancels what they were reading; every later `extract` rejects with `CANCELLED`. */
  close(): Promise<void>
}

export interface ExtractionJob {
  /** Absolute path of the file; it is only read. */
  path: string
  sourceType: SourceType
  /** Aborting kills the process; the extraction rejects with `CANCELLED`. */
  signal?: AbortSignal
}

/** Where a book goes. A method that takes its time slows the reading down; one that throws ends it. */
export interface ExtractionSink {
  /** Once, before any page. `pageCount` is null where the format does not know it beforehand. */
  onInfo(info: BookInfo, pageCount: number | null): Promise<void> | void
  /** Pages in order without a gap; `firstPage` is the number of the first of them and starts at 1. */
  onPages(pages: ExtractedPage[], firstPage: number): Promise<void>
  /** After each `onPages`: pages so far, and how many there will be where that is known. */
  onProgress?(pages: number, pageCount: number | null): void
}

export interface ExtractionSummary {
  info: BookInfo
  pageCount: number
  toc: TocEntry[]
  counts: PageCounts
  resources: {
    /** Highest resident memory seen of the process, in bytes. */
    peakRssBytes: number
    wallMs: number
    /** Milliseconds until the first page was there; null for a book without pages. */
    firstPageMs: number | null
  }
}

export interface ExtractorOptions {
  /** Bounds the format readers keep to; default `defaultLimits`. */
  limits?: FormatLimits
  /** Resident memory of one process, bytes; default 1 GiB. */
  maxMemoryBytes?: number
  /** Milliseconds without a sign of life; default 20 s. */
  silenceTimeoutMs?: number
  /** Milliseconds one book may take, without the time the sink takes; default 15 min. */
  totalTimeoutMs?: number
  /** Milliseconds between two looks at a process; default 250. */
  sampleIntervalMs?: number
  /** Memory above which a process is not used again, bytes; default 400 MB. */
  recycleAboveBytes?: number
  /** Books after which a process is not used again; default 50. */
  maxBooksPerProcess?: number
  /** Milliseconds an unused process is kept; default one minute. */
  idleTimeoutMs?: number
  /** Starts a spare process while books are read; default true. */
  spare?: boolean
  /** URL of a module whose `open` (an `OpenBook`) reads every file in place of the formats. */
  formatModule?: string | null
}
