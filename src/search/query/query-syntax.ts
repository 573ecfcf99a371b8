import { fold } from '../../text/words/fold.ts'
import { editDistance } from '../../text/words/edit-distance.ts'
import { defaultLanguage, functionWordsOf } from '../../text/words/languages.ts'
import { readDate } from './filter-date.ts'
import { findAsides, findSuspendedHyphens } from './suspended-hyphens.ts'

/*
 * The syntax of a query in addition to its words: "phrases", -word and NOT word, word*, and filters such as title:word. Anything that does
 * not match the syntax exactly is text: "10:30", "std::vector", "C:\temp", "note: this", "-40" and "2 * 3" are words.
 */

export const filterNames = ['title', 'author', 'shelf', 'in', 'before', 'after'] as const
export type FilterName = (typeof filterNames)[number]

/** A condition on books. */
export interface QueryFilter {
  name: FilterName
  value: string
  /** True if the books that meet it are excluded. */
  isExcluded: boolean
}

/** A word or a phrase that a page must not have. */
export interface ExcludedText {
  text: string
  /** True for a quoted phrase, which is excluded as a whole. */
  isPhrase: boolean
  prefixEnds: ReadonlySet<number>
}

/** A parsed query. */
export interface QuerySyntax {
  /** The words at their original positions. Everything else is replaced by spaces. */
  plain: string
  /** Like `plain`, with the words of the phrases. */
  unquoted: string
  /** The offsets in `plain` where prefix words (`word*`) end. */
  prefixEnds: ReadonlySet<number>
  phrases: string[]
  excluded: ExcludedText[]
  filters: QueryFilter[]
  /** Text that looks like a date filter but has no valid date. */
  undated: string[]
  /** Text that looks like a filter with a mistake in its name. */
  misspelt: MisspeltFilter[]
}

/** A word such as `titel:whales`, and the filter that is probably meant. */
export interface MisspeltFilter {
  typed: string
  name: FilterName
}

interface Draft extends QuerySyntax {
  text: string
  /** True if the text is not all capitals, so that NOT in capitals is an operator. */
  hasLowerCase: boolean
  /** The offsets of hyphens that exclude nothing, although a space stands before them. */
  plainHyphens: ReadonlySet<number>
  prefixEnds: Set<number>
}

/** Parses the syntax of a query, which it first converts to NFC. Takes time linear in the length. */
export function readSyntax(raw: string): QuerySyntax {
  const text = raw.normalize('NFC')
  const hasLowerCase = /[\p{Ll}\p{Lo}]/u.test(text)
  const found = {
    plain: '',
    unquoted: '',
    prefixEnds: new Set<number>(),
    phrases: [],
    excluded: [],
    filters: [],
    undated: [],
    misspelt: [],
  }
  const plainHyphens = new Set([...findSuspendedHyphens(text), ...findAsides(text)])
  const draft: Draft = { text, hasLowerCase, plainHyphens, ...found }
  let at = 0
  while (at < text.length) {
    const end = isAtStart(text, at) ? readOperator(draft, at) : null
    const quoted = end === null ? quotedAt(text, at) : null
    if (end === null && quoted === null) {
      if (isPrefixMark(text, at)) draft.prefixEnds.add(at)
      draft.plain += text[at]
      draft.unquoted += text[at]
      at++
    } else {
      // Spaces keep the positions of words and keep separate words apart.
      const next = end ?? quoted?.end ?? at
      draft.plain += ' '.repeat(next - at)
      draft.unquoted += quoted ? ` ${quoted.inner} ` : ' '.repeat(next - at)
      if (quoted) draft.phrases.push(quoted.inner)
      at = next
    }
  }
  const { plain, unquoted, prefixEnds, phrases, excluded, filters, undated, misspelt } = draft
  return { plain, unquoted, prefixEnds, phrases, excluded, filters, undated, misspelt }
}

/** True where an operator may begin: at the start, after white space or an opening bracket. */
function isAtStart(text: string, at: number): boolean {
  return at === 0 || /[\s([{]/.test(text[at - 1] as string)
}

/** Reads an operator that begins with `-`, NOT or the name of a filter. Returns its end; null if there is none. */
function readOperator(draft: Draft, at: number): number | null {
  const { text } = draft
  const negated = negationAt(draft, at)
  const filter = readFilter(draft, negated?.operand ?? at)
  if (filter) {
    draft.filters.push({ name: filter.name, value: filter.value, isExcluded: negated !== null })
    return filter.end
  }
  if (!negated) return null
  const quoted = quotedAt(text, negated.operand)
  if (quoted) {
    draft.excluded.push({ text: quoted.inner, isPhrase: true, prefixEnds: new Set() })
    return quoted.end
  }
  const word = wordAt(text, negated.operand)
  if (negated.isWord && functionWordsOf(defaultLanguage).has(fold(word, defaultLanguage))) return null
  draft.excluded.push({ text: word, isPhrase: false, prefixEnds: prefixEndsOf(word) })
  return negated.operand + word.length
}

interface Negation {
  /** The offset where the excluded text begins. */
  operand: number
  /** True for NOT, false for `-`. */
  isWord: boolean
}

const letterOrQuote = /^[\p{L}"“”„＂]/u
/** A command line option such as -v. */
const optionPattern = /^-[a-z](?:\s|$)/i

function negationAt({ text, hasLowerCase, plainHyphens }: Draft, at: number): Negation | null {
  if (text[at] === '-') {
    if (plainHyphens.has(at)) return null
    const isNegation = letterOrQuote.test(text.slice(at + 1, at + 3)) && !optionPattern.test(text.slice(at, at + 4))
    return isNegation ? { operand: at + 1, isWord: false } : null
  }
  if (!hasLowerCase || !text.startsWith('NOT', at)) return null
  const operand = at + 3 + (/^\s*/.exec(text.slice(at + 3))?.[0].length ?? 0)
  return operand > at + 3 && letterOrQuote.test(text.slice(operand, operand + 2)) ? { operand, isWord: true } : null
}

/** Returns the text up to the next white space or quote. */
function wordAt(text: string, at: number): string {
  return /^[^\s"“”„＂]*/.exec(text.slice(at))?.[0] ?? ''
}

interface FoundFilter {
  name: FilterName
  value: string
  end: number
}

/** Longer values are cut, because they cannot match anything. */
const maxValueLength = 200
/** The colon may be that of a Chinese or Japanese keyboard. */
const filterPattern = /^(title|author|shelf|in|before|after)[:：](?=[^\s:：/\\])/i
const namedPattern = /^(\p{L}{4,8})[:：](?=[^\s:：/\\])/u

function readFilter(draft: Draft, at: number): FoundFilter | null {
  const { text, undated } = draft
  const [whole, matchedName = ''] = filterPattern.exec(text.slice(at, at + 10)) ?? []
  if (whole === undefined) {
    noteMisspelt(draft, at)
    return null
  }
  const from = at + whole.length
  const quoted = quotedAt(text, from)
  const value = (quoted ? quoted.inner : wordAt(text, from)).trim().slice(0, maxValueLength)
  const name = matchedName.toLowerCase() as FilterName
  if (!/[\p{L}\p{N}]/u.test(value)) return null
  if ((name === 'before' || name === 'after') && readDate(value) === null) {
    undated.push(`${name}:${value}`)
    return null
  }
  return { name, value, end: quoted ? quoted.end : from + wordAt(text, from).length }
}

/** Remembers a word that would be a filter if one letter of its name were different. It stays a word: pages may have it. */
function noteMisspelt({ text, misspelt }: Draft, at: number): void {
  const written = namedPattern.exec(text.slice(at, at + 10))?.[1]
  if (written === undefined) return
  const folded = fold(written)
  const name = filterNames.find((each) => each !== 'in' && editDistance(each, folded, 1) <= 1)
  if (name !== undefined) misspelt.push({ typed: wordAt(text, at).slice(0, maxValueLength), name })
}

/** Quotation marks of phrases. Excludes « » and 「 」, which quote names and titles in ordinary questions. */
const quotePattern = /["“”„＂]/

function quotedAt(text: string, at: number): { inner: string; end: number } | null {
  if (!quotePattern.test(text[at] ?? '')) return null
  const length = text.slice(at + 1).search(quotePattern)
  return length < 0 ? null : { inner: text.slice(at + 1, at + 1 + length), end: at + length + 2 }
}

/** Returns the offsets where prefix words (`word*`) end. */
export function prefixEndsOf(text: string): ReadonlySet<number> {
  const ends = new Set<number>()
  for (let at = text.indexOf('*'); at >= 0; at = text.indexOf('*', at + 1)) if (isPrefixMark(text, at)) ends.add(at)
  return ends
}

const maxWordLength = 64
const wordEnd = /[\p{L}\p{N}\p{M}]{2}$/u
const afterPrefix = /^(?:$|[\s.,;:!?)\]}])/

/** True at the star of `word*`, but not in `*word*`, `2 * 3` and `a*b`. */
function isPrefixMark(text: string, at: number): boolean {
  if (text[at] !== '*' || !wordEnd.test(text.slice(Math.max(0, at - 4), at))) return false
  const before = text.slice(Math.max(0, at - maxWordLength), at)
  const word = before.slice(before.search(/\S*$/))
  return !word.includes('*') && afterPrefix.test(text.slice(at + 1, at + 2))
}
