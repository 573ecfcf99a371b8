import type { Budget } from '../core/context.ts'
import { escapeInvisible } from '../runtime/escape-invisible.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** Maximum size of an answer in characters; clients drop larger ones. */
const maxCharacters = 60_000
/** Reserved for the parts of an answer other than its books. */
const reservedCharacters = 4_000
/** An answer may have 20,000 tokens or 60,000 characters, so a token costs the same as three characters. */
const charactersPerToken = 3

/** The budget of a tool answer, which keeps it under 60,000 characters and 20,000 tokens. */
export const mcpBudget: Budget = {
  onOverflow: 'split',
  cost: measureCost,
  maxBatchCost: maxCharacters - reservedCharacters,
  maxBookCost: maxCharacters - reservedCharacters,
  maxListCost: maxCharacters - reservedCharacters,
}

/** The cost of a text; includes the escapes of invisible characters in the text block. */
function measureCost(text: string): number {
  const escaped = escapeInvisible(text)
  return Math.max(jsonLength(escaped), charactersPerToken * estimateTokens(escaped))
}

function jsonLength(text: string): number {
  let sum = text.length
  for (let i = 0; i < text.length; i++) if (isEscaped(text.charCodeAt(i))) sum += 1
  return sum
}

/**
 * True for characters that count twice: those with JSON escapes, and `<`, which a zero-width space may follow in the
 * text block.
 */
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
