import type { CodeCache } from './code-cache.ts'
import type { FormatLimits } from '../formats/format.ts'
import type { Box } from '../formats/picture/ink-components.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import type { PictureHeader } from '../formats/picture/sniff-picture.ts'
import type { DrawnType } from './messages.ts'

/** Draws pages of book files in child processes, so that a hostile file cannot harm or stop the server. */
export interface Drawer {
  /** Draws one page. Rejects with `ExtractionError`, or with the error of reading the file. */
  draw(job: DrawingJob): Promise<DrawnPicture>
  /** Draws one page of a PDF or comic in greys, turned clockwise, as recognition of text needs it. Rejects as `draw` does. */
  scan(job: ScanningJob): Promise<DrawnPicture>
  /** Draws what `scan` drew with nothing but the letters that are in none of the places that were read; null when there are too few for a word. */
  scanLeft(job: ScanningJob & { read: readonly Box[] }): Promise<DrawnPicture | null>
  /** The ids of the running child processes. */
  pids(): number[]
  /** Kills all processes. */
  close(): Promise<void>
}

export interface DrawingJob {
  file: DrawnFile
  /** The owner of the file; its process gets files of no other account. */
  accountId: string
  sourceType: DrawnType
  /** From 1; an EPUB has one, its cover. */
  page: number
  /** Pixels, the most that the picture may be wide. */
  width: number
}

export interface ScanningJob extends Pick<DrawingJob, 'file' | 'accountId' | 'page'> {
  turn: QuarterTurn
  /** Default: pdf. */
  sourceType?: 'pdf' | 'comic' | undefined
}

export interface DrawnFile {
  /** Tells it from every other file: a process that has it open does not get it again. */
  name: string
  bytes: number
  read(): AsyncIterable<Uint8Array>
}

/** A picture as a browser takes it. */
export interface DrawnPicture extends PictureHeader {
  bytes: Uint8Array
}

export interface DrawerOptions {
  /** Limits of archives; default `defaultLimits`. */
  limits?: FormatLimits
  /** Maximum resident memory of one process, in bytes; default 1 GiB. */
  maxMemoryBytes?: number
  /** Milliseconds that opening a file, and drawing a page, may take; default 10,000. */
  timeoutMs?: number
  /** Milliseconds between two samples of a process; default 100. */
  sampleIntervalMs?: number
  /** Milliseconds that a process keeps its file open for the next page; default 30,000. */
  idleTimeoutMs?: number
  /** Lends compiled code to the processes; default none. */
  codeCache?: CodeCache | null
}
