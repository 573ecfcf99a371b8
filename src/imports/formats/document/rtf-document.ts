import type { RunFormat } from './run-format.ts'
import type { BookInfo } from '../format.ts'

/** A piece of a paragraph. */
export type RtfInline =
  | { kind: 'text'; text: string; format: RunFormat; href: string | null }
  | { kind: 'break' }
  | { kind: 'note'; id: number }
  /** `index`: of its file among the pictures; null if it is not kept. */
  | { kind: 'picture'; index: number | null }

/** A list and the level, from 0, of one of its paragraphs. */
export interface RtfListPlace {
  list: number
  level: number
}

export interface RtfParagraph {
  inlines: RtfInline[]
  /** The number of its style. */
  style: number
  /** Its level in the outline, from 0; null for text. */
  outline: number | null
  list: RtfListPlace | null
  /** How far all of its lines are indented from the left and the right, and the first one beyond that, in twips. */
  indent: number
  rightIndent: number
  firstIndent: number
  /** Empty paragraphs before it. */
  blanksBefore: number
}

export type RtfBlock =
  | { kind: 'paragraph'; paragraph: RtfParagraph }
  | { kind: 'row'; cells: RtfParagraph[][]; isHeader: boolean; isUnderlined: boolean }

/** What a style says of its paragraphs. */
export interface RtfStyle {
  name: string
  outline: number | null
}

/** A file of RTF that was read. */
export interface RtfDocument {
  info: BookInfo
  blocks: RtfBlock[]
  /** Footnotes and endnotes by their ids. */
  notes: Map<number, RtfBlock[]>
  styles: Map<number, RtfStyle>
  /** How the levels of lists are numbered (`\levelnfc`), by list. */
  lists: Map<number, number[]>
  pictures: readonly Uint8Array[]
}
