/** One call of an agent's run. Ids, times and URLs are replaced by symbols. */
export interface TracedCall {
  tool: string
  arguments: Record<string, unknown>
  result: TracedResult
}

export interface TracedResult {
  /** The text blocks; JSON objects in them are parsed. */
  content: unknown[]
  isError?: true
}

/** The actions of an agent in one of the user's turns. */
export interface TracedTurn {
  /** Calls by step: the calls of a step are made together. */
  rounds: TracedCall[][]
  answer: string
}

/** A text block in the format of traces. */
export function parseBlock(text: string): unknown {
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
