/**
 * The data that the layout needs from a PDF library. Positions are in points, x to the right, y down, page rotation
 * undone.
 */
export interface PdfFile {
  readonly pageCount: number
  /** The document information and XMP of the file, unchanged. */
  metadata(): Promise<PdfMetadata>
  /** The printed label of each page, or null if the file has none. */
  labels(): Promise<readonly string[] | null>
  /** The entries of the outline in reading order. */
  outline(): Promise<OutlineNode[]>
  /** Reads a page (one-based). Throws if the page is damaged, and `StreamTooLarge` if a stream exceeds the limit. */
  page(number: number): Promise<PageText>
  /** The annotations of a page, which `page` includes if the engine reads them with the text. */
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
  /** One-based depth. */
  level: number
  /** Resolves the destination to a one-based page number; null if it does not exist. */
  page(): Promise<number | null>
}

/** The writing direction in clockwise quarter turns: 0 is to the right, 1 downwards. */
export type QuarterTurns = 0 | 1 | 2 | 3

export interface TextRun {
  text: string
  /** The start of the baseline, before `rotation` is undone. */
  x: number
  y: number
  width: number
  size: number
  font: FontFace
  rotation: QuarterTurns
  /** Whether it is written aslant, as a watermark is; `rotation` is then the nearest quarter turn. */
  aslant?: boolean
  /** Whether the file has white space between this run and the one before it. */
  hasSpaceBefore: boolean
  rtl: boolean
  /** The height in points of a sign that may be larger than its font, such as a sum or a bracket. */
  glyphHeight?: number
  /** Where a link on the run leads: an address, or `page:12` for a page of the book. */
  link?: string
  /** Where the nearest vertical line stands that is drawn before it, as between the cells of a table. */
  lineBefore?: number
  /** The nearest horizontal line above a run with a vertical one before it. */
  lineAbove?: number
}

/** What lies over a page: links, values of form fields, free texts, and notes that are not shown on it. */
export interface PageAnnotation {
  kind: 'link' | 'field' | 'text' | 'note'
  /** Areas on the page in points, one for each line. */
  boxes: { x0: number; y0: number; x1: number; y1: number }[]
  /** The value or note, in lines; empty for a link. */
  text: string
  author: string | null
  /** Where a link leads: an address, or `page:12` for a page of the book. */
  target: string | null
}

export interface FontFace {
  bold: boolean
  italic: boolean
  mono: boolean
  vertical: boolean
  /** If only formulas use it: whether it is laid out as cmsy10 is. */
  math?: 'plain' | 'other'
}

/** A horizontal line that is drawn on a page, in points from its top left. */
export interface Rule {
  x0: number
  x1: number
  y: number
}

export interface PageText {
  width: number
  height: number
  runs: TextRun[]
  /** Whether images cover most of the page. Determined only for pages with little text, to recognize scans. */
  picture: boolean
  /** The share (0 to 1) of characters that are not text: private-use, control, letters that no language writes. */
  garbled: number
  /** The rules of a page with fonts of formulas; absent if the engine reads none. */
  rules?: readonly Rule[]
  /** At most 1,000; absent if the engine reads none. */
  annotations?: readonly PageAnnotation[]
}

/** Thrown for a page with a stream that decompresses to more than the limit. */
export class StreamTooLarge extends Error {}
