/** One call in an agent's run, with ids, times and addresses as symbols. */
export interface TracedCall {
  tool: string
  arguments: Record<string, unknown>
  result: TracedResult
}

export interface TracedResult {
  /** The text blocks; those that hold a JSON object are parsed. */
  content: unknown[]
  isError?: true
}

/** The actions of an agent in one of the user's turns. */
export interface TracedTurn {
  /** Calls by the agent's steps: those of a step are made together. */
  rounds: TracedCall[][]
  answer: string
}

/** A text block as traces keep it. */
export function parseBlock(text: string): unknown {
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
