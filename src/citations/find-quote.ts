import { isInsideWord } from './characters.ts'
import { foldSigns } from './fold-signs.ts'
import { foldSpaces } from './fold-spaces.ts'
import { normalizeText, type NormalizedText } from './normalize-text.ts'
import type { SearchableText } from './searchable-text.ts'

/** A pattern to search for. */
interface Needle {
  normal: string
  /** The failure function of the normal form (Knuth-Morris-Pratt algorithm). */
  failureTable: Uint16Array
}

interface QuoteForm extends Needle {
  /** The normal form without the signs of code and formulas; null if it consists of such signs only. */
  plain: Needle | null
}

/** A quotation prepared for searching in many pages. */
export interface PreparedQuote extends QuoteForm {
  raw: string
  /** The form in which signs at the start of a line are part of its text, not list markers; null without such signs. */
  inline: QuoteForm | null
}

/** Position of a quotation in a page, in UTF-16 units of the stored text. */
export interface Match {
  /** `exact`: equal character for character; `normalized`: equal in normal form. */
  match: 'exact' | 'normalized'
  start: number
  end: number
}

/** A sign at the start of a line that may be a list marker or, in a sentence copied from a PDF, an operator or dash. */
const signAtLineStart = /\n[^\S\n]*(?=[-+*\u2013\u2014]\s)/gu

/** Prepares a quotation of at most 65,535 UTF-16 units. Its normal form must not be empty. */
export function prepareQuote(raw: string): PreparedQuote {
  const joined = raw.replaceAll(signAtLineStart, ' ')
  return { raw: raw.trim(), ...prepareForm(raw), inline: joined === raw ? null : prepareForm(joined) }
}

function prepareForm(raw: string): QuoteForm {
  const normal = normalizeText(raw)
  const needle = prepareNeedle(foldSpaces(normal).text)
  const folded = foldSigns(normal)
  const plain = folded === null ? needle : prepareNeedle(foldSpaces(folded).text.trim())
  return { ...needle, plain: /[\p{L}\p{N}]/u.test(plain.normal) ? plain : null }
}

function prepareNeedle(normal: string): Needle {
  const failureTable = new Uint16Array(normal.length)
  for (let at = 1, border = 0; at < normal.length; at++) {
    while (border > 0 && normal.charCodeAt(at) !== normal.charCodeAt(border))
      border = failureTable[border - 1] as number
    if (normal.charCodeAt(at) === normal.charCodeAt(border)) border++
    failureTable[at] = border
  }
  return { normal, failureTable }
}

/** The maximum number of occurrences in one page that are checked for an exact match. */
const maxOccurrences = 20

/**
 * Returns the first exact match of a quotation in a text, otherwise the first match in normal form. A match never begins or ends inside a
 * word or a number, so "he can" is not found in "he cannot". Takes time linear in the length of the text.
 */
export function findQuote(page: SearchableText, quote: PreparedQuote): Match | null {
  return findQuoteForm(page, quote, quote) ?? (quote.inline && findQuoteForm(page, quote, quote.inline))
}

function findQuoteForm(page: SearchableText, quote: PreparedQuote, { plain, ...needle }: QuoteForm): Match | null {
  for (const form of page.forms) {
    const match = findInForm({ page, form, quote }, needle)
    if (match) return match
  }
  if (plain === null) return null
  for (const [index, form] of page.plainForms.entries()) {
    const isSearched = form === page.forms[index] && plain.normal === needle.normal
    const match = isSearched ? null : findInForm({ page, form, quote }, plain)
    if (match) return match
  }
  return null
}

interface Search {
  page: SearchableText
  form: NormalizedText
  quote: PreparedQuote
}

function findInForm({ page: { raw }, form, quote }: Search, needle: Needle): Match | null {
  let first: Match | null = null
  let occurrencesSeen = 0
  for (const at of occurrences(form.text, needle)) {
    if (splitsWord(form, at) || splitsWord(form, at + needle.normal.length)) continue
    const start = form.offsets.originalStart(at)
    const end = form.offsets.originalEnd(at + needle.normal.length)
    const exact = findExactAround(raw, { start, end }, quote.raw)
    if (exact) return exact
    first ??= { match: 'normalized', start, end }
    if (++occurrencesSeen === maxOccurrences) break
  }
  return first
}

function* occurrences(text: string, { normal, failureTable }: Needle): Generator<number> {
  let matched = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && unit !== normal.charCodeAt(matched)) matched = failureTable[matched - 1] as number
    if (unit === normal.charCodeAt(matched)) matched++
    if (matched < normal.length) continue
    yield at + 1 - matched
    matched = failureTable[matched - 1] as number
  }
}

function splitsWord({ text, offsets }: NormalizedText, at: number): boolean {
  return isInsideWord(text, at) && !offsets.isWordBreak(at)
}

/** The maximum number of marks before a match that the normal form has removed. */
const maxSurroundingMarks = 16

function findExactAround(raw: string, span: { start: number; end: number }, quote: string): Match | null {
  for (let start = span.start; start >= Math.max(0, span.start - maxSurroundingMarks); start--) {
    const end = start + quote.length
    if (raw.startsWith(quote, start) && end >= span.end) return { match: 'exact', start, end }
  }
  return null
}
