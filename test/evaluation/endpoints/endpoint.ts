import type { Call, CallResult, OfferedTool } from '../mcp-session.ts'

/** A call that a model requests. `problem` says why it cannot be made. */
export interface RequestedCall extends Call {
  id: string
  problem?: string
}

/** The output of a model in one step. */
export interface ModelStep {
  text: string
  calls: RequestedCall[]
  /** `truncated`: the model reached its token limit; `pause`: it continues without an answer. */
  stop: 'done' | 'calls' | 'pause' | 'truncated' | 'refused'
}

/** A conversation with a model, in the wire format of its endpoint. */
export interface Dialogue {
  /** Adds a message of the user. */
  addUserMessage(text: string): void
  /** Adds the results of all calls of the last step. */
  addResults(results: readonly { id: string; result: CallResult }[]): void
  /** Sends the conversation and returns the next output of the model. */
  nextStep(): Promise<ModelStep>
}

export interface DialogueOptions {
  model: string
  system: string
  tools: readonly OfferedTool[]
  /** Posts a body to the endpoint and returns the JSON of the response. */
  post(path: string, body: unknown): Promise<unknown>
}

/** The maximum number of tokens that a model may write in one step. */
export const maxOutputTokens = 4096
