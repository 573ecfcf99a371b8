/** Finds one kind of sensitive text and defines its replacement. */
export interface Rule {
  replacement: string
  /** Must have the `g` flag. */
  pattern: RegExp
  /**
   * Number of sensitive UTF-16 units from the start of a match; 0 for none. `rest` is the text from the match on.
   * Default: the whole match.
   */
  length?: (match: string, rest: string) => number
}
