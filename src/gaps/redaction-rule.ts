/** One kind of what must not be kept: where it may stand in a text, and what stands in its place afterwards. */
export interface Rule {
  replacement: string
  /** Global. */
  pattern: RegExp
  /** How many characters of a match, from its beginning, are really one; 0: none are. All, when left out. */
  length?: (match: string, rest: string) => number
}
