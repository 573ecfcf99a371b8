/** What the layout needs from a PDF library. Positions are points, x to the right, y down, page rotation undone. */
export interface PdfFile {
  readonly pageCount: number
  /** Document information and XMP as they stand in the file. */
  metadata(): Promise<PdfMetadata>
  /** The printed label of each page, or null when the file names none. */
  labels(): Promise<readonly string[] | null>
  /** The entries of the outline in reading order. */
  outline(): Promise<OutlineNode[]>
  /** Reads one page, numbered from 1. Throws when that page is broken or passes the size bound of a stream. */
  page(number: number): Promise<PageText>
  close(): Promise<void>
}

export interface PdfMetadata {
  /** Entries of the information dictionary, the catalog language as `Language`. */
  info: ReadonlyMap<string, string>
  /** XMP properties such as `dc:title`; lists are kept as lists. */
  xmp: ReadonlyMap<string, string | readonly string[]>
}

export interface OutlineNode {
  title: string
  /** Depth from 1. */
  level: number
  /** Resolves the destination to a page number from 1; null when it leads nowhere. */
  page(): Promise<number | null>
}

/** Quarter turns of the writing direction, clockwise: 0 reads to the right, 1 downwards. */
export type QuarterTurns = 0 | 1 | 2 | 3

export interface TextRun {
  text: string
  /** Start of the baseline, before `turn` is undone. */
  x: number
  y: number
  width: number
  size: number
  font: FontFace
  rotation: QuarterTurns
  /** True when the file puts white space between this run and the one before it. */
  hasSpaceBefore: boolean
  rtl: boolean
}

export interface FontFace {
  bold: boolean
  italic: boolean
  mono: boolean
  vertical: boolean
}

export interface PageText {
  width: number
  height: number
  runs: TextRun[]
  /** True when images cover most of the page. Looked at on pages with little text only, where it tells a scan. */
  picture: boolean
  /** Share (0 to 1) of private-use, control and replacement characters. */
  garbled: number
}

/** Thrown for a page with a stream that unpacks to more than the bound. */
export class StreamTooLarge extends Error {}
