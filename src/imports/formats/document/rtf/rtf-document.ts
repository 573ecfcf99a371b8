import type { RunFormat } from '../markup/run-format.ts'
import type { BookInfo } from '../../format.ts'

/** An inline element of a paragraph. */
export type RtfInline =
  | { kind: 'text'; text: string; format: RunFormat; href: string | null }
  | { kind: 'break' }
  | { kind: 'note'; id: number }
  /** `index`: index of its file among the pictures; null if it is not kept. */
  | { kind: 'picture'; index: number | null }

/** The list and level (from 0) of a paragraph. */
export interface RtfListPlace {
  list: number
  level: number
}

export interface RtfParagraph {
  inlines: RtfInline[]
  /** The names of the bookmarks in it. */
  bookmarks: readonly string[]
  /** The number of its style. */
  style: number
  /** Its outline level, from 0; null for body text. */
  outline: number | null
  list: RtfListPlace | null
  /** Its number or bullet as displayed; empty if the file does not say it. */
  label: string
  /** Indents in twips: of all lines from the left and the right, and the additional indent of the first line. */
  indent: number
  rightIndent: number
  firstIndent: number
  /** Number of empty paragraphs before it. */
  blanksBefore: number
}

export type RtfBlock =
  | { kind: 'paragraph'; paragraph: RtfParagraph }
  | { kind: 'row'; cells: RtfParagraph[][]; isHeader: boolean; isUnderlined: boolean }

/** A paragraph style. */
export interface RtfStyle {
  name: string
  outline: number | null
}

/** How the items of a list level are labelled. */
export interface RtfListLevel {
  /** The numbering format (`\levelnfc`). */
  format: number
  /** The number of the first item. */
  start: number
  /** The label, with `%` as the placeholder for the number. */
  pattern: string
}

/** A parsed RTF file. */
export interface RtfDocument {
  info: BookInfo
  blocks: RtfBlock[]
  /** Footnotes and endnotes by id. */
  notes: Map<number, RtfBlock[]>
  styles: Map<number, RtfStyle>
  /** The levels of each list. */
  lists: Map<number, RtfListLevel[]>
  pictures: readonly Uint8Array[]
}
