import type { MathBuilder } from '../math/build-math.ts'
import type { NoteLabels } from './note-labels.ts'
import type { PageLinks } from './page-links.ts'
import type { PictureReference } from './picture-places.ts'
import type { StyleSheets } from './style-sheets.ts'
import type { TableState } from './build-table.ts'
import type { BlockWriter } from './block-writer.ts'

export type Attributes = Readonly<Record<string, string>>
/** Called when the element ends. */
export type Leave = (() => void) | null

/** Receives the events of an XHTML parser. */
export interface ElementHandler {
  /** `implied`: the tag is missing in the source. */
  onopentag(name: string, attributes: Attributes, implied: boolean): void
  ontext(text: string): void
  onclosetag(): void
}

/** A `figure` element whose caption is being read. */
export interface OpenFigure {
  /** The index of its first picture. */
  firstPicture: number
  caption: string
  inCaption: boolean
}

/** An element of a note. */
export interface NoteElement {
  label: string
  /** The text that its reference displays. */
  shown: string
  /** True if an address is that of the reference. */
  isBack: (href: string) => boolean
}

export interface ConvertOptions {
  /** The path of the file in the archive. */
  path: string
  /** The printed page labels by element id. */
  labels: ReadonlyMap<string, string>
  /** Label allocator, shared by all files of the book. */
  notes: NoteLabels
  /** The links within the book, shared by all its files. */
  links: PageLinks
  /** True for the navigation document, whose lists are not part of the text. */
  navigation: boolean
  /**
   * True to write placeholders for pictures, which `fillPlaces` replaces; otherwise pictures are described in words.
   */
  figures?: boolean
  /** The style sheets of the file. */
  styles?: StyleSheets
  /** The labels of references to notes in other files, by the offsets of their tags in the source. */
  marks?: ReadonlyMap<number, string>
  /** Set if the text is that of a single note. */
  note?: NoteElement
  /** Note elements of this file that are only known by their references, by the offsets of their tags. */
  ownNotes?: ReadonlyMap<number, NoteElement & { isFirst: boolean }>
}

/** A list whose items are being parsed. */
export interface ListState {
  ordered: boolean
  /** The HTML `type` attribute for letters or Roman numerals; empty for others. */
  type: string
  /** The text around a number, with `%` as its placeholder. */
  pattern: string
  /** The number of the next item. */
  nextNumber: number
  itemCount: number
  /** True inside an item that already has text. */
  nested: boolean
  /** The indent of its last item; empty before the first. */
  itemIndent: string
  /** True inside an item. */
  hasOpenItem: boolean
}

/** The state of a conversion, which element handlers modify. */
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
  /** The programming language that an enclosing element names. */
  language: string | null
  /** True after the case of a switch that was chosen. */
  hasCase: boolean
  pictureCount: number
  /** The pictures with placeholders. */
  readonly pictures: PictureReference[]
  figure: OpenFigure | null
  /** The number of notes that enclose the current position. */
  noteDepth: number
  /** The number of note lists that enclose it. */
  noteListDepth: number
  /** The label of the innermost note. */
  noteLabel: string
  /** Recognises links back to its reference. */
  isBack: ((href: string) => boolean) | null
  /** The label of a note whose first element contained only a number. */
  emptyNote: string | null
  /** The id of a note whose number has been read; the next definition has its text. */
  pendingNote: string | null
  /** Leaves the current element and its content out. */
  leaveOut(): void
}
