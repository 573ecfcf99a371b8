import type { Budget } from '../core/context.ts'
import { rememberByText } from '../runtime/memoize.ts'
import { reveal } from '../runtime/escape-invisible.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** Largest answer in characters: clients lose larger ones. */
const limit = 60_000
/** Kept free for what surrounds the books of an answer. */
const reserve = 4_000
/** An answer may have 20,000 tokens, so one of them weighs as much as three characters. */
const charactersPerToken = 3

/** What a tool answer may weigh, so that it stays under 60,000 characters and 20,000 tokens. */
export const mcpBudget: Budget = {
  mode: 'parts',
  cost: rememberByText(cost),
  batch: limit - reserve,
  book: limit - reserve,
  list: limit - reserve,
}

/** What is invisible is written out in the text block. */
function cost(text: string): number {
  const shown = reveal(text)
  return Math.max(lengthInJson(shown), charactersPerToken * estimateTokens(shown))
}

function lengthInJson(text: string): number {
  let sum = text.length
  for (let i = 0; i < text.length; i++) if (isEscaped(text.charCodeAt(i))) sum += 1
  return sum
}

/** Line ends, tabs, quotation marks and backslashes; a `<` may be followed by a mark in the text block. */
function isEscaped(unit: number): boolean {
  return unit === 0x22 || unit === 0x5c || unit === 0x3c || unit === 0x0a || unit === 0x09 || unit === 0x0d
}
