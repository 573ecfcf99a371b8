import { analyse } from '../../text/words/analyse.ts'
import { crossesWords } from '../../text/words/dictionary-words.ts'
import type { Language } from '../../text/words/languages.ts'
import type { Token } from '../../text/words/token.ts'
import { createStopWordTest, createSuffixTest } from '../words/word-alternatives.ts'

/** A word of a query, or two characters of a script without spaces. */
export interface QueryToken extends Token {
  stop: boolean
  /** True if it matches all words that begin with it. */
  prefix: boolean
  /** How much it counts: 1, and less for overlapping pairs of characters. */
  share: number
}

/** Splits a query into tokens. Drops single characters that a bigram covers, and bigrams that cross a word boundary. */
export function tokenizeQuery(
  text: string,
  languages: readonly Language[],
  prefixEnds: ReadonlySet<number> = new Set(),
): QueryToken[] {
  const found: Token[] = []
  const crosses = crossesWords(text)
  analyse(text, (token) => found.push(token))
  const tokens = found.filter(({ kind, start, end }) => kind !== 'part' && (kind !== 'bigram' || !crosses(start, end)))
  const paired = new Set<number>()
  for (const { kind, start, end } of tokens) if (kind === 'bigram') for (let at = start; at < end; at++) paired.add(at)
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ word }) => word)
  const isStopWord = createStopWordTest(words, languages)
  const isSuffix = createSuffixTest(text, languages)
  const isUpperCase = text.toUpperCase() === text
  const single = tokens.filter(({ kind, start }) => kind !== 'unigram' || !paired.has(start))
  const shares = sharesOf(single)
  return single.map((token, at) => ({
    ...token,
    share: shares[at] as number,
    prefix: prefixEnds.has(token.end),
    stop:
      !prefixEnds.has(token.end) &&
      token.kind === 'word' &&
      (isSuffix(token) || (isStopWord(token.word) && (isUpperCase || !isAcronym(text, token)))),
  }))
}

/**
 * Returns how much each token counts. A word of n characters is n - 1 overlapping pairs, and counts as much as the n / 2 pairs that it has
 * side by side. Otherwise long words, such as those in katakana, would count several times as much as short ones.
 */
function sharesOf(tokens: readonly Token[]): number[] {
  const shares = tokens.map(() => 1)
  for (let from = 0, to = 1; from < tokens.length; from = to++) {
    while (to < tokens.length && overlaps(tokens[to - 1] as Token, tokens[to] as Token)) to++
    const pairs = to - from
    shares.fill((pairs + 1) / 2 / pairs, from, to)
  }
  return shares
}

function overlaps(one: Token, next: Token): boolean {
  return one.kind === 'bigram' && next.kind === 'bigram' && next.start < one.end
}

/** True for acronyms such as US and IT, which are not the words "us" and "it". */
function isAcronym(text: string, { start, end }: Token): boolean {
  return /^\p{Lu}{2,}$/u.test(text.slice(start, end))
}

/** Counts the significant words. Pairs of characters are a word together as long as they overlap. */
export function countWords(tokens: readonly QueryToken[]): number {
  const words = tokens.filter(({ kind, stop }) => !stop && (kind === 'word' || kind === 'bigram'))
  return words.filter((token, at) => at === 0 || !overlaps(words[at - 1] as QueryToken, token)).length
}
