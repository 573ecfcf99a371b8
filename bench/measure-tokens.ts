import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { listTools } from '../src/mcp/list-tools.ts'
import type { Declaration } from '../src/core/tool.ts'

/** Maximum cost of all tools together and of a single one, in tokens. */
export const toolBudget = { all: 6000, each: 350 }

export interface ToolCost {
  name: string
  /** Tokens of name, description and input schema, which clients show to a model (o200k). */
  tokens: number
  /** Tokens of the output schema, which programs read. */
  outputTokens: number
}

/** The token cost of each tool for a model. */
export function measureTokens(tools: readonly Declaration[]): ToolCost[] {
  return listTools(tools).map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    tokens: tokensOf(JSON.stringify({ name, description, inputSchema })),
    outputTokens: outputSchema ? tokensOf(JSON.stringify(outputSchema)) : 0,
  }))
}

/** The number of tokens of a text for models of the o200k family. */
export function tokensOf(text: string): number {
  return encode(text).length
}

/** The sum of the tools' tokens. */
export function totalTokens(costs: readonly ToolCost[]): number {
  return costs.reduce((sum, { tokens }) => sum + tokens, 0)
}
