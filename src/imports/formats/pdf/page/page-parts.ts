import type { TocEntry } from '../../format.ts'
import type { TextRun } from './pdf-file.ts'

/** Adjacent runs on one baseline, rotated upright, with x to the right and y downwards, in points. */
export interface Segment {
  x0: number
  x1: number
  /** The baseline of the largest run. */
  y: number
  size: number
  runs: TextRun[]
  /** The table that this segment represents. */
  table?: Table
  /** The text of the display formula that this segment represents. */
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
  /** Whether the gap before it is wide enough to separate table columns. */
  hasTabBefore: boolean
  /** The x of the vertical line that is drawn to its left. */
  lineBefore?: number
  /** The y of the horizontal line above it. Set only if there is also a vertical line to its left. */
  lineAbove?: number
  /** Whether it begins a new line of its table cell. */
  startsLine?: boolean
  /** The target of a link on it. */
  link?: string
}

/** A line of text. `pieces` are in reading order: from left to right, or from right to left in such scripts. */
export interface Line {
  x0: number
  x1: number
  y: number
  size: number
  pieces: TextPiece[]
  text: string
  /** The shares (0 to 1) of characters in monospaced and in bold fonts. */
  mono: number
  bold: number
  rtl: boolean
  /** The font size in points of readings above it. */
  readingSize?: number
  /** The superscript number at its start, as in a footnote. */
  raisedNumber?: string
  /** The number of the footnote that begins here, if a reference in the text exists. */
  note?: string
  /** Whether the author ended it although more of the paragraph fits into it, as in a poem or an address. */
  endsWithBreak?: true
  /** Whether it is a display formula. */
  formula?: true
  /** The table that this line represents. */
  table?: Table
}

export interface Table {
  /** The number of lines. */
  lineCount: number
  /** Rows of cells, each with its text pieces. */
  rows: TextPiece[][][]
  mono: boolean
}

/** A Markdown block with its lines. */
export type Block =
  | { kind: 'heading'; level: number; lines: Line[] }
  | { kind: 'paragraph'; lines: Line[] }
  | { kind: 'formula'; lines: Line[] }
  | { kind: 'list-item'; marker: string; depth: number; lines: Line[] }
  | { kind: 'note'; number: string; lines: Line[] }
  | { kind: 'toc'; lines: Line[] }
  | { kind: 'code'; lines: Line[] }
  | { kind: 'table'; table: Table }

/** A heading and its number of lines. */
export interface HeadingMatch {
  level: number
  lineCount: number
  /** The outline entry for the heading, if any. */
  tocEntry: TocEntry | null
}
