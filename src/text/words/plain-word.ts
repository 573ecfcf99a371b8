/** An ordinary word: one with a single term and no parts. */
export interface PlainWord {
  /** The word as written in the text. */
  raw: string
  word: string
  terms: readonly string[]
  entry: WordEntry | null
}

/** The data of an index about a word. */
export interface WordEntry {
  /** The id of the index. Several indexes may use the same word. */
  index: number
  term: string
  /** The number of its term in the index. */
  number: number
  count: number
}
