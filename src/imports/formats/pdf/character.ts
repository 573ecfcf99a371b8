/** What the characters of a text object share. Positions are in the space of the page, y up. */
export interface TextStyle {
  /** The name of the font among the faces of the page. */
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
}

/** A visible character as it stands on the page. */
export interface Character {
  text: string
  /** Where it begins on the baseline. */
  x: number
  y: number
  width: number
  style: TextStyle
  /** Whether its text object is that of the character before it. */
  sameObject: boolean
  /** The height of a sign that may be larger than its font. */
  glyphHeight?: number
  /** Whether there is a space before it, in the file or by the engine's judgement of a distance inside a text object. */
  afterSpace: boolean
}
