/**
 * The data that the layout needs from a PDF library. Positions are in points, with x to the right, y downwards and the
 * page rotation undone.
 */
export interface PdfFile {
  readonly pageCount: number
  /** The document information and XMP metadata of the file, unchanged. */
  metadata(): Promise<PdfMetadata>
  /** The printed label of each page, or null if the file has none. */
  labels(): Promise<readonly string[] | null>
  /** The entries of the outline in reading order. */
  outline(): Promise<OutlineNode[]>
  /** Reads a page (from 1). Throws if the page is damaged, and `StreamTooLarge` if a stream exceeds the limit. */
  page(number: number): Promise<PageText>
  /** The annotations of a page (from 1). `page` also includes them if the engine reads them with the text. */
  annotations?(number: number): Promise<readonly PageAnnotation[]>
  close(): Promise<void>
}

export interface PdfMetadata {
  /** The entries of the information dictionary, with the catalog language as `Language`. */
  info: ReadonlyMap<string, string>
  /** XMP properties such as `dc:title`; lists stay lists. */
  xmp: ReadonlyMap<string, string | readonly string[]>
}

export interface OutlineNode {
  title: string
  /** The depth, from 1. */
  level: number
  /** Resolves the destination to a page number, from 1; null if it does not exist. */
  page(): Promise<number | null>
}

/** The writing direction in clockwise quarter turns: 0 is to the right, 1 downwards. */
export type QuarterTurns = 0 | 1 | 2 | 3

export interface TextRun {
  text: string
  /** The start of the baseline on the page, before `rotation` is undone. */
  x: number
  y: number
  width: number
  size: number
  font: FontFace
  rotation: QuarterTurns
  /** Whether its baseline is slanted, as in a watermark. `rotation` is then the nearest quarter turn. */
  slanted?: boolean
  /** Whether the file has white space between this run and the one before it. */
  hasSpaceBefore: boolean
  rtl: boolean
  /** The height in points of a symbol that may be larger than its font size, such as a sum or a bracket. */
  glyphHeight?: number
  /** The height in points of a rotated heading of a column, which was placed as upright text. */
  rotatedHeight?: number
  /** The target of a link on the run: an address, or `page:12` for a page of the book. */
  link?: string
  /**
   * The marked-content identifier (MCID), by which the structure of a tagged page refers to the run, or `artifact`. Only
   * in tagged files.
   */
  mcid?: number
  /** The font size in points of the readings of its characters, which are in its text and stand above it. */
  readingSize?: number
  /** Whether the structure of a tagged page says that it is a number of a note, in the text or before the note. */
  isMark?: true
  /** Whether it begins a table cell that is close to the cell before it. */
  startsCell?: true
  /** The x of the nearest vertical line to its left, such as a line between table cells. */
  lineBefore?: number
  /** The y of the nearest horizontal line above it. Set only if there is also a vertical line to its left. */
  lineAbove?: number
}

/** An annotation: a link, the value of a form field, free text, or a note that is not visible on the page. */
export interface PageAnnotation {
  kind: 'link' | 'field' | 'text' | 'note'
  /** Its bounding boxes on the page in points, one for each line. */
  boxes: { x0: number; y0: number; x1: number; y1: number }[]
  /** The value or note, with line breaks; empty for a link. */
  text: string
  author: string | null
  /** The target of a link: an address, or `page:12` for a page of the book. */
  target: string | null
}

export interface FontFace {
  bold: boolean
  italic: boolean
  mono: boolean
  vertical: boolean
  /** Set for a math font: whether it has the layout of cmsy10. */
  math?: 'cmsy' | 'other'
}

/** The `mcid` of a run that is part of the page layout and not of the text, such as a page number. */
export const artifact = -1

/** An element in the logical structure of a tagged page (ISO 32000-2, 14.7). */
export interface StructureElement {
  /** The standard type to which the file maps it, such as `P` or `H1`; another name if there is none. */
  type: string
  /** Its elements and marked-content identifiers, in reading order. */
  kids: (StructureElement | number)[]
  /** The number of columns of a table cell, if it is more than one. */
  columns?: number
  /** The alternative text of a figure, if it has one. */
  alternative?: string
}

/** A horizontal line that is drawn on a page, in points from the top left. */
export interface Rule {
  x0: number
  x1: number
  y: number
  /** Whether it is too thick for the bar of a fraction. */
  isHeavy?: true
}

export interface PageText {
  width: number
  height: number
  runs: TextRun[]
  /** Whether images cover most of the page. Determined only for pages with little text, to recognise scans. */
  picture: boolean
  /**
   * The share (0 to 1) of characters that are unreadable: private-use and control characters, and letters in no
   * language.
   */
  garbled: number
  /** The letters that an engine returns for the numbers of glyphs, if `runs` have replacement characters in their place. */
  falseLetters?: ReadonlySet<string>
  /** The horizontal rules, from top to bottom; absent if the engine does not read them. */
  rules?: readonly Rule[]
  /** Whether the page uses math fonts. */
  usesMath?: boolean
  /** The logical structure of the page; absent if the file is not tagged, or the engine does not read it. */
  structure?: readonly StructureElement[]
  /** At most 1,000; absent if the engine does not read annotations. */
  annotations?: readonly PageAnnotation[]
}

/** A page with fewer characters than this is checked for an image that covers it, because it may be a scan. */
export const maxScanCharacters = 200

/** Thrown for a page with a stream that decompresses to more than the limit. */
export class StreamTooLarge extends Error {}
