/** Finds one kind of sensitive text and gives its replacement. */
export interface Rule {
  replacement: string
  /** Must have the `g` flag. */
  pattern: RegExp
  /**
   * How many UTF-16 units from the start of a match are sensitive; 0 for none. `rest` is the text from the match on.
   * Default: the whole match.
   */
  length?: (match: string, rest: string) => number
}
