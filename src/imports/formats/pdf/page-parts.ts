import type { TocEntry } from '../format.ts'
import type { TextRun } from './pdf-file.ts'

/** Adjacent runs on one baseline, rotated upright: x to the right, y down. */
export interface Segment {
  x0: number
  x1: number
  /** The baseline of the largest run. */
  y: number
  size: number
  runs: TextRun[]
  /** A table that stands for its segments. */
  table?: Table
  /** The text of a display formula that stands for its segments. */
  formula?: string
}

export interface TextPiece {
  text: string
  mono: boolean
  bold: boolean
  x0: number
  x1: number
  /** Whether a space belongs before it. */
  hasSpaceBefore: boolean
  /** Whether the space before it is wide enough to separate table columns. */
  hasTabBefore: boolean
  /** Where the vertical line stands that is drawn before it. */
  lineBefore?: number
  /** The horizontal line above a piece with a vertical one before it. */
  lineAbove?: number
  /** Whether it begins another line of a cell. */
  startsLine?: boolean
  /** Where a link on it leads. */
  link?: string
}

/** A line of text. `pieces` are its runs from left to right, or from right to left in such scripts. */
export interface Line {
  x0: number
  x1: number
  y: number
  size: number
  pieces: TextPiece[]
  text: string
  /** The share (0 to 1) of characters in monospaced and in bold fonts. */
  mono: number
  bold: number
  rtl: boolean
  /** The raised number that it begins with, as a footnote does. */
  raisedNumber?: string
  /** The number of the footnote that begins here, if a mark refers to it. */
  note?: string
  /** Whether it is a display formula. */
  formula?: true
  /** A table in place of text. */
  table?: Table
}

export interface Table {
  /** The number of lines. */
  lineCount: number
  /** Rows of cells, each with its text pieces. */
  rows: TextPiece[][][]
  mono: boolean
}

/** A unit of Markdown and its lines. */
export type Block =
  | { kind: 'heading'; level: number; lines: Line[] }
  | { kind: 'paragraph'; lines: Line[] }
  | { kind: 'formula'; lines: Line[] }
  | { kind: 'list-item'; marker: string; depth: number; lines: Line[] }
  | { kind: 'note'; number: string; lines: Line[] }
  | { kind: 'toc'; lines: Line[] }
  | { kind: 'code'; lines: Line[] }
  | { kind: 'table'; table: Table }

/** A heading and the number of its lines. */
export interface HeadingMatch {
  level: number
  lineCount: number
  /** The entry of the outline that names the heading, if any. */
  tocEntry: TocEntry | null
}
