import type { Budget } from '../core/context.ts'
import { memoize } from '../runtime/memoize.ts'
import { escapeInvisible } from '../runtime/escape-invisible.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** Largest answer in characters: clients lose larger ones. */
const maxCharacters = 60_000
/** Kept free for what surrounds the books of an answer. */
const reservedCharacters = 4_000
/** An answer may have 20,000 tokens, so one of them weighs as much as three characters. */
const charactersPerToken = 3

/** What a tool answer may weigh, so that it stays under 60,000 characters and 20,000 tokens. */
export const mcpBudget: Budget = {
  onOverflow: 'split',
  cost: memoize(measureCost),
  maxBatchCost: maxCharacters - reservedCharacters,
  maxBookCost: maxCharacters - reservedCharacters,
  maxListCost: maxCharacters - reservedCharacters,
}

/** What is invisible is written out in the text block. */
function measureCost(text: string): number {
  const escaped = escapeInvisible(text)
  return Math.max(jsonLength(escaped), charactersPerToken * estimateTokens(escaped))
}

function jsonLength(text: string): number {
  let sum = text.length
  for (let i = 0; i < text.length; i++) if (isEscaped(text.charCodeAt(i))) sum += 1
  return sum
}

/** Line ends, tabs, quotation marks and backslashes; a `<` may be followed by a mark in the text block. */
function isEscaped(codeUnit: number): boolean {
  return (
    codeUnit === 0x22 ||
    codeUnit === 0x5c ||
    codeUnit === 0x3c ||
    codeUnit === 0x0a ||
    codeUnit === 0x09 ||
    codeUnit === 0x0d
  )
}
