import type { MathText } from './math-text.ts'
import type { NoteLabels } from './note-labels.ts'
import type { TableState } from './build-table.ts'
import type { BlockWriter } from './block-writer.ts'

export type Attributes = Readonly<Record<string, string>>
/** What to do when the element ends. */
export type Leave = (() => void) | null

export interface ConvertOptions {
  /** Path of the file in the archive. */
  path: string
  /** Element ids that the table of contents points at. */
  ids: ReadonlySet<string>
  /** Printed page labels by element id. */
  labels: ReadonlyMap<string, string>
  /** Shared by all files of the book. */
  notes: NoteLabels
  /** The file is the navigation document: its lists are no text of the book. */
  navigation: boolean
}

/** A list while its items go by. */
export interface ListState {
  ordered: boolean
  /** Number of the next item. */
  nextNumber: number
  itemCount: number
  /** It stands inside of an item that has text before it. */
  nested: boolean
}

/** The state of a conversion, which the rules for elements change. */
export interface Conversion {
  readonly options: ConvertOptions
  readonly writer: BlockWriter
  lists: ListState[]
  readonly tables: TableState[]
  /** The preformatted text being collected. */
  pre: { text: string; language: string | null; lineEmpty: boolean } | null
  math: MathText | null
  /** Programming language that an outer element names. */
  language: string | null
  pictureCount: number
  /** How many notes the current place is in. */
  noteDepth: number
  /** Leaves out the element that is being entered with all it holds. */
  skip(): void
}
