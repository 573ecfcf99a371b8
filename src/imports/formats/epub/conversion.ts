import type { MathBuilder } from '../math/build-math.ts'
import type { ListStyles } from './list-styles.ts'
import type { NoteLabels } from './note-labels.ts'
import type { PictureReference } from './picture-places.ts'
import type { TableState } from './build-table.ts'
import type { BlockWriter } from './block-writer.ts'

export type Attributes = Readonly<Record<string, string>>
/** Called when the element ends. */
export type Leave = (() => void) | null

/** Takes the events of a parser of XHTML. */
export interface ElementHandler {
  /** `implied`: the tag does not stand in the source. */
  onopentag(name: string, attributes: Attributes, implied: boolean): void
  ontext(text: string): void
  onclosetag(): void
}

/** A `figure` element whose caption is being read. */
export interface OpenFigure {
  /** The first picture in it. */
  firstPicture: number
  caption: string
  inCaption: boolean
}

/** The text of one note. */
export interface NoteElement {
  label: string
  /** What its mark shows. */
  shown: string
  /** Whether an address is that of the mark. */
  isBack: (href: string) => boolean
}

export interface ConvertOptions {
  /** The path of the file in the archive. */
  path: string
  /** The element ids that the table of contents refers to. */
  ids: ReadonlySet<string>
  /** The printed page labels by element id. */
  labels: ReadonlyMap<string, string>
  /** Shared by all files of the book. */
  notes: NoteLabels
  /** Whether the file is the navigation document, whose lists are not text of the book. */
  navigation: boolean
  /** Whether places are held for pictures, which `fillPlaces` fills; else they are described in words. */
  figures?: boolean
  /** The types of lists by class. */
  listStyles?: ListStyles
  /** The labels of marks whose notes are in other files, by the offsets of their tags in the source. */
  marks?: ReadonlyMap<number, string>
  /** The text is that of one note. */
  note?: NoteElement
  /** The elements of the notes of this file that nothing else tells, by the offsets of their tags. */
  ownNotes?: ReadonlyMap<number, NoteElement & { isFirst: boolean }>
}

/** A list while its items are parsed. */
export interface ListState {
  ordered: boolean
  /** Letters or Roman numbers, as the attribute `type` of HTML names them; empty for others. */
  type: string
  /** What stands around a number, with `%` in its place. */
  pattern: string
  /** The number of the next item. */
  nextNumber: number
  itemCount: number
  /** Whether it is inside an item that has text before it. */
  nested: boolean
}

/** The state of a conversion, which element handlers change. */
export interface Conversion {
  readonly options: ConvertOptions
  /** The offset of the current tag in the source. */
  readonly position: number
  readonly writer: BlockWriter
  lists: ListState[]
  readonly tables: TableState[]
  /** The preformatted text that is being collected. */
  pre: { text: string; language: string | null; lineEmpty: boolean } | null
  /** The formula that is being collected. */
  math: MathBuilder | null
  /** The programming language that an outer element names. */
  language: string | null
  pictureCount: number
  /** The pictures for which places are held. */
  readonly pictures: PictureReference[]
  figure: OpenFigure | null
  /** How many notes enclose the current position. */
  noteDepth: number
  /** How many lists of notes do. */
  noteListDepth: number
  /** The label of the innermost note. */
  noteLabel: string
  /** Tells the addresses of its mark. */
  isBack: ((href: string) => boolean) | null
  /** The label of a note whose first element had a number only. */
  emptyNote: string | null
  /** The id of a note whose number was read, and whose text follows in the next definition. */
  pendingNote: string | null
  /** Skips the current element with its content. */
  skip(): void
}
