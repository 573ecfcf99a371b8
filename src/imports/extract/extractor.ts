import type { CodeCache } from './code-cache.ts'
import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../formats/format.ts'
import type { SourceType } from './messages.ts'
import type { PictureType } from '../formats/picture/sniff-picture.ts'
import type { PageCounts } from '../../text/page-counts.ts'

/** Reads book files in child processes, so that a hostile file cannot harm or stop the server. */
export interface Extractor {
  /**
   * Reads one file and passes it to `sink` in order. Rejects with `ExtractionError`, or with the error that the sink
   * threw. Once the promise has settled, the sink is no longer called.
   */
  extract(job: ExtractionJob, sink: ExtractionSink): Promise<ExtractionSummary>
  /** Ensures an idle process with the format loaded for the next book: one of this account, or one that has served nobody. */
  warmUp(format: SourceType, accountId?: string): void
  /** The ids of the running child processes. */
  pids(): number[]
  /** Kills all processes and cancels their extractions; every later `extract` rejects with `CANCELLED`. */
  close(): Promise<void>
}

export interface ExtractionJob {
  /** The absolute path of the file, which is only read. */
  path: string
  sourceType: SourceType
  /** Opens an encrypted file. Default: none. */
  password?: string | null
  /** The owner of the file; the process reads files of this account only. */
  accountId: string
  /** Aborting it kills the process; the extraction rejects with `CANCELLED`. */
  signal?: AbortSignal
}

/** Receives a book. A slow method slows the reading down (backpressure); a method that throws ends it. */
export interface ExtractionSink {
  /** Called once, before any page. `pageCount` is null if the format does not know it in advance. */
  onInfo(info: BookInfo, pageCount: number | null): Promise<void> | void
  /**
   * Called with consecutive pages. `firstPage` is the one-based number of the first one, `words` the number of words up
   * to the last one.
   */
  onPages(pages: ExtractedPage[], firstPage: number, words: number): Promise<void>
  /** Called once per figure, before the first page that refers to it. Without it, figures are described in words. */
  onFigure?(figure: ReceivedFigure): Promise<void>
  /** Called after each `onPages` with the pages so far and the total, if known. */
  onProgress?(pages: number, pageCount: number | null): void
}

export interface FigureCounts {
  count: number
  bytes: number
}

/** A figure, identified by the hash of its bytes. */
export interface ReceivedFigure {
  /** See `FigureMarker`. */
  id: string
  mediaType: PictureType
  bytes: Uint8Array
}

export interface ExtractionSummary {
  info: BookInfo
  /** Whether the file declares a picture as its cover. */
  hasCover: boolean
  /** The format of the content, if the file name suggests another one; otherwise null. */
  format: SourceType | null
  /** Whether the text contains LaTeX formulas between dollar signs. */
  hasFormulas: boolean
  pageCount: number
  toc: TocEntry[]
  counts: PageCounts
  /** The number and size of the distinct figures that were passed on. */
  figures: FigureCounts
  resources: {
    /** The highest observed resident memory of the process, in bytes. */
    peakRssBytes: number
    wallMs: number
    /** Milliseconds until the first page; null for a book without pages. */
    firstPageMs: number | null
  }
}

export interface ExtractorOptions {
  /** Limits that the format readers enforce. Default: `defaultLimits`. */
  limits?: FormatLimits
  /** Maximum resident memory of one process, in bytes. Default: 1 GiB. */
  maxMemoryBytes?: number
  /** Time without a message after which a process is killed, ms. Default: 20,000. */
  silenceTimeoutMs?: number
  /** Maximum processor time and waiting time before the first page, ms. Default: 5,000. */
  firstPageTimeoutMs?: number
  /** Maximum time per book, excluding the sink, ms. Default: 15 minutes. */
  totalTimeoutMs?: number
  /** Interval between samples of a process, ms. Default: 250. */
  sampleIntervalMs?: number
  /** A process with more resident memory than this, in bytes, is not reused. Default: 400 MB. */
  recycleAboveBytes?: number
  /** Number of books after which a process is not reused. Default: 50. */
  maxBooksPerProcess?: number
  /** How long an idle process is kept, ms. Default: one minute. */
  idleTimeoutMs?: number
  /** Whether to start a spare process while books are read. Default: true. */
  spare?: boolean
  /** The URL of a module whose `open` (an `OpenBook`) reads every file in place of the formats; for tests. */
  formatModule?: string | null
  /** Lends compiled code to the processes. Default: none. */
  codeCache?: CodeCache | null
}
