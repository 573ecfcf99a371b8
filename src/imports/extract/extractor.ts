import type { CodeCache } from './code-cache.ts'
import type { BookInfo, ExtractedPage, FormatLimits, TocEntry } from '../formats/format.ts'
import type { SourceType } from './messages.ts'
import type { PictureType } from '../formats/picture/sniff-picture.ts'
import type { PageCounts } from '../../text/page-counts.ts'

/** Reads book files in child processes, so that a hostile file cannot harm or stop the server. */
export interface Extractor {
  /**
   * Reads one file and passes it to `sink` in order. Rejects with `ExtractionError`, or with the error that the sink
   * threw. No call to the sink is running or follows once the promise has settled.
   */
  extract(job: ExtractionJob, sink: ExtractionSink): Promise<ExtractionSummary>
  /** Ensures that a process with the format loaded is idle for the next book: one of this account, or of none. */
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
  /** Opens an encrypted file; default none. */
  password?: string | null
  /** The owner of the file; its process reads files of no other account. */
  accountId: string
  /** Aborting it kills the process; the extraction rejects with `CANCELLED`. */
  signal?: AbortSignal
}

/** Receives a book. A slow method slows the reading down (back-pressure); one that throws ends it. */
export interface ExtractionSink {
  /** Called once, before any page. `pageCount` is null if the format does not know it in advance. */
  onInfo(info: BookInfo, pageCount: number | null): Promise<void> | void
  /**
   * Called with pages in order without gaps; `firstPage` is the one-based number of the first of them, `words` the number of
   * words up to the last of them.
   */
  onPages(pages: ExtractedPage[], firstPage: number, words: number): Promise<void>
  /** Called with each figure, once, before the first page that names it. Without it, figures are described in words. */
  onFigure?(figure: ReceivedFigure): Promise<void>
  /** Called after each `onPages` with the pages so far and the total, if known. */
  onProgress?(pages: number, pageCount: number | null): void
}

export interface FigureCounts {
  count: number
  bytes: number
}

/** A figure by what its bytes are. */
export interface ReceivedFigure {
  /** See `FigureMarker`. */
  id: string
  mediaType: PictureType
  bytes: Uint8Array
}

export interface ExtractionSummary {
  info: BookInfo
  /** Whether the file names a picture as its cover. */
  hasCover: boolean
  /** What the content of the file is, where its name says something else; null where it does not. */
  format: SourceType | null
  /** Whether its text has formulas in LaTeX between dollar signs. */
  hasFormulas: boolean
  pageCount: number
  toc: TocEntry[]
  counts: PageCounts
  /** The different figures that were passed on. */
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
  /** Limits that the format readers enforce; default `defaultLimits`. */
  limits?: FormatLimits
  /** Maximum resident memory of one process, in bytes; default 1 GiB. */
  maxMemoryBytes?: number
  /** Milliseconds without a message after which a process is killed; default 20,000. */
  silenceTimeoutMs?: number
  /** Milliseconds of processor time and of waiting that a file may take before its first page; default 5,000. */
  firstPageTimeoutMs?: number
  /** Milliseconds that one book may take, without the time of the sink; default 15 minutes. */
  totalTimeoutMs?: number
  /** Milliseconds between two samples of a process; default 250. */
  sampleIntervalMs?: number
  /** A process with more resident memory than this, in bytes, is not reused; default 400 MB. */
  recycleAboveBytes?: number
  /** The number of books after which a process is not reused; default 50. */
  maxBooksPerProcess?: number
  /** Milliseconds that an idle process is kept; default one minute. */
  idleTimeoutMs?: number
  /** Whether to start a spare process while books are read; default true. */
  spare?: boolean
  /** The URL of a module whose `open` (an `OpenBook`) reads every file instead of the formats; for tests. */
  formatModule?: string | null
  /** Lends compiled code to the processes; default none. */
  codeCache?: CodeCache | null
}
