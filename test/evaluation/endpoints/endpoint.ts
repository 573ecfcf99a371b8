import type { Call, CallResult, OfferedTool } from '../mcp-session.ts'

/** One call that a model asks for; `problem` says why it cannot be made. */
export interface AskedCall extends Call {
  id: string
  problem?: string
}

/** What a model said in one step. */
export interface Step {
  text: string
  calls: AskedCall[]
  /** `cut`: the model reached its limit of tokens; `pause`: it wants to go on without an answer. */
  stop: 'done' | 'calls' | 'pause' | 'cut' | 'refused'
}

/** A conversation with a model, in the wire format of its endpoint. */
export interface Dialogue {
  /** The user speaks. */
  say(text: string): void
  /** The results of the calls of the last step, all of them. */
  report(results: readonly { id: string; result: CallResult }[]): void
  /** Sends everything so far and gives what the model says next. */
  next(): Promise<Step>
}

export interface DialogueOptions {
  model: string
  system: string
  tools: readonly OfferedTool[]
  /** Posts a body to the endpoint and gives the JSON of its answer. */
  post(path: string, body: unknown): Promise<unknown>
}

/** The most tokens that a model may write in one step. */
export const mostTokens = 4096
