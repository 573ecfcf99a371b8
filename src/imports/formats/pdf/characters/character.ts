/** The properties that the characters of a text object share. Coordinates are those of the page, with y upwards. */
export interface TextStyle {
  /** The font, as a key into the font faces of the page. */
  font: string
  /** The text matrix without its offset, multiplied by the font size. */
  matrix: readonly [number, number, number, number]
  /** The unit vector of the writing direction of horizontal text. */
  x: number
  y: number
  /** The font size along the writing direction. */
  em: number
  /** The font size across the writing direction. */
  size: number
  /** Its marked-content identifier (see `TextRun.mcid`), in a tagged file. */
  mcid?: number
}

/** A visible character with its position on the page. */
export interface Character {
  text: string
  /** Its origin on the baseline. */
  x: number
  y: number
  width: number
  style: TextStyle
  /** Whether it belongs to the same text object as the preceding character. */
  sameObject: boolean
  /** The height of the glyph, for a symbol that may be larger than its font size. */
  glyphHeight?: number
  /** The left and right edges of the glyph of a combining mark, which has no width. */
  ink?: readonly [left: number, right: number]
  /** Whether a space precedes it: in the file, or because the engine infers one from a gap inside a text object. */
  afterSpace: boolean
  /**
   * Whether the space that precedes it is in no text object with a character next to it: the engine infers it, or the
   * file draws it alone, perhaps elsewhere.
   */
  hasLooseSpace?: boolean
}
