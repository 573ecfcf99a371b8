import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { listTools } from '../src/mcp/list-tools.ts'
import type { Declaration } from '../src/core/tool.ts'

/** Most that the tools may cost together, and one of them, in tokens. */
export const toolBudget = { all: 6000, each: 350 }

export interface ToolCost {
  name: string
  /** Tokens of name, description and input schema, which clients put before a model (o200k). */
  tokens: number
  /** Tokens of the output schema, which programs read. */
  outputTokens: number
}

/** What each tool costs a model that is shown it. */
export function measureTokens(tools: readonly Declaration[]): ToolCost[] {
  return listTools(tools).map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    tokens: tokensOf(JSON.stringify({ name, description, inputSchema })),
    outputTokens: outputSchema ? tokensOf(JSON.stringify(outputSchema)) : 0,
  }))
}

/** How many tokens a text has for the models of the o200k family. */
export function tokensOf(text: string): number {
  return encode(text).length
}

/** The sum of the tools' tokens. */
export function totalTokens(costs: readonly ToolCost[]): number {
  return costs.reduce((sum, { tokens }) => sum + tokens, 0)
}
