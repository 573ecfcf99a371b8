/** An ordinary word. */
export interface PlainWord {
  /** As it is written. */
  raw: string
  word: string
  terms: readonly string[]
  entry: WordEntry | null
}

/** What an index keeps of a word. */
export interface WordEntry {
  /** The index that it belongs to: a word is met by several. */
  index: number
  term: string
  /** Of its term. */
  number: number
  count: number
}
