import type { Call, CallResult, OfferedTool } from '../mcp-session.ts'

/** One call that a model asks for; `problem` says why it cannot be made. */
export interface RequestedCall extends Call {
  id: string
  problem?: string
}

/** The output of a model in one step. */
export interface ModelStep {
  text: string
  calls: RequestedCall[]
  /** `cut`: the model reached its limit of tokens; `pause`: it wants to go on without an answer. */
  stop: 'done' | 'calls' | 'pause' | 'truncated' | 'refused'
}

/** A conversation with a model, in the wire format of its endpoint. */
export interface Dialogue {
  /** The user speaks. */
  addUserMessage(text: string): void
  /** The results of the calls of the last step, all of them. */
  addResults(results: readonly { id: string; result: CallResult }[]): void
  /** Sends everything so far and gives what the model says next. */
  nextStep(): Promise<ModelStep>
}

export interface DialogueOptions {
  model: string
  system: string
  tools: readonly OfferedTool[]
  /** Posts a body to the endpoint and gives the JSON of its answer. */
  post(path: string, body: unknown): Promise<unknown>
}

/** The most tokens that a model may write in one step. */
export const maxOutputTokens = 4096
