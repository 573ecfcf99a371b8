import { removeInvisible } from './escape-invisible.ts'

/** More marks than a letter of any script has. A higher stack of them covers the lines around it. */
const excessMarks = /(\p{M}{10})\p{M}+/gu
/** Characters that break a line or move to a tab stop. */
const lineBreak = /[\t\n\v\f\r\u0085\u2028\u2029]/

/**
 * A name that other people may see, as one line: without control characters and other invisible characters, which could
 * hide or reorder what is around it, and with at most ten marks on a letter. Trimmed; empty if nothing is left.
 */
export function cleanName(name: string): string {
  const line = name.replaceAll(/\s+/g, (space) => (lineBreak.test(space) ? ' ' : space))
  return limitMarks(removeInvisible(line)).trim()
}

/** Removes the marks of a letter beyond the tenth. */
export function limitMarks(text: string): string {
  return text.replaceAll(excessMarks, '$1')
}
