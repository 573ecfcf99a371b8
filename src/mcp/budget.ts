import type { Budget } from '../context.ts'

/** Largest answer in characters: clients lose larger ones. */
const limit = 60_000
/** Kept free for what surrounds the books of an answer. */
const reserve = 4_000

/**
 * What a tool answer may weigh, so that it stays under 60,000 characters and 20,000 tokens: a character counts as it
 * stands in JSON, and one of a dense script as three, since models spend about a token on each.
 */
export const mcpBudget: Budget = {
  mode: 'parts',
  cost,
  batch: limit - reserve,
  book: limit - reserve,
  list: limit - reserve,
}

function cost(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum += costOf(text.charCodeAt(i))
  return sum
}

function costOf(unit: number): number {
  if (unit < 0x20) return unit === 0x0a || unit === 0x09 || unit === 0x0d ? 2 : 6
  // Quotation marks and backslashes are escaped in JSON; a `<` may be followed by a mark in the text block.
  if (unit === 0x22 || unit === 0x5c || unit === 0x3c) return 2
  if (unit < 0x80) return 1
  // Latin, Greek, Cyrillic and their neighbours take about half a token a character, other scripts a whole one.
  return unit < 0x590 ? 1.5 : 3
}
