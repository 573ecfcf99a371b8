import type { CodeCache } from './code-cache.ts'
import type { FormatLimits } from '../formats/format.ts'
import type { Box } from '../formats/picture/ink-components.ts'
import type { CollagePart } from '../formats/picture/isolated-ink.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import type { PictureHeader } from '../formats/picture/sniff-picture.ts'
import type { DrawnType } from './messages.ts'

/** Draws pages of book files in child processes, so that a hostile file cannot harm or stop the server. */
export interface PageRenderer {
  /** Draws one page. Rejects with `ExtractionError`, or with the error of reading the file. */
  draw(job: DrawingJob): Promise<DrawnPicture>
  /** Draws one page of a PDF or comic in grey, rotated clockwise, for text recognition. Rejects like `draw`. */
  scan(job: ScanningJob): Promise<DrawnPicture>
  /**
   * Draws only the letters of a scanned page that are outside the boxes that were read; null if there are too few for a
   * word. Rejects like `draw`.
   */
  scanRemaining(job: ScanningJob & { read: readonly Box[] }): Promise<DrawnPicture | null>
  /**
   * Draws a collage of what may be isolated numbers of a scanned page, outside the boxes that were read; null if there
   * are none. Rejects like `draw`.
   */
  scanIsolated(job: ScanningJob & { read: readonly Box[] }): Promise<DrawnCollage | null>
  /** The ids of the running child processes. */
  pids(): number[]
  /** Kills all processes. */
  close(): Promise<void>
}

export interface DrawingJob {
  file: DrawnFile
  /** The owner of the file; the process gets files of this account only. */
  accountId: string
  sourceType: DrawnType
  /** From 1; an EPUB has only page 1, its cover. */
  page: number
  /** Maximum width of the picture, pixels. */
  width: number
}

export interface ScanningJob extends Pick<DrawingJob, 'file' | 'accountId' | 'page'> {
  turn: QuarterTurn
  /** Default: pdf. */
  sourceType?: 'pdf' | 'comic' | undefined
}

export interface DrawnFile {
  /** Identifies the file: a process that has it open does not receive it again. */
  name: string
  bytes: number
  read(): AsyncIterable<Uint8Array>
}

/** A picture in a format for browsers. */
export interface DrawnPicture extends PictureHeader {
  bytes: Uint8Array
  /** The processor time of the drawing, ms; the elapsed time if the system does not provide it. */
  drawingMs: number
}

export interface DrawnCollage extends DrawnPicture {
  parts: readonly CollagePart[]
}

export interface PageRendererOptions {
  /** Limits of archives. Default: `defaultLimits`. */
  limits?: FormatLimits
  /** Maximum resident memory of one process, in bytes. Default: 1 GiB. */
  maxMemoryBytes?: number
  /** Maximum time for opening a file and for drawing a page, ms. Default: 10,000. */
  timeoutMs?: number
  /** Interval between samples of a process, ms. Default: 100. */
  sampleIntervalMs?: number
  /** How long a process keeps its file open for the next page, ms. Default: 30,000. */
  idleTimeoutMs?: number
  /** Lends compiled code to the processes. Default: none. */
  codeCache?: CodeCache | null
}
