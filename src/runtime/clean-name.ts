import { removeInvisible } from './escape-invisible.ts'

/** More marks than a letter of any script has. A higher stack of them covers the lines around it. */
const excessMarks = /(?<=\p{M}{10})\p{M}/gu
/** Characters that break a line or move to a tab stop. */
const lineBreak = /[\t\n\v\f\r\u0085\u2028\u2029]/

/** Longer than any accepted name, in UTF-16 units: cleaning the text of a whole body would take seconds. */
const maxCleaned = 10_000

/** One line of Latin letters, digits and signs: most names. A table of contents may have 20,000 of them. */
const plainLine = /^[ -~\u00a1-\u00ac\u00ae-\u02ff]*$/

/**
 * A name that other people may see, as one line: without control characters and other invisible characters, which could
 * hide or reorder what is around it, and with at most ten marks on a letter. Trimmed; empty if nothing is left.
 * A text that is too long for a name is only trimmed.
 */
export function cleanName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length > maxCleaned || plainLine.test(trimmed)) return trimmed
  const line = trimmed.replaceAll(/\s+/g, (space) => (lineBreak.test(space) ? ' ' : space))
  return limitMarks(removeInvisible(line)).trim()
}

/** Removes the marks of a letter beyond the tenth. */
export function limitMarks(text: string): string {
  return text.replaceAll(excessMarks, '')
}
