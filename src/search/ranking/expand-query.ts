import { codesOf, loadTerms, type BookCodes, type LoadedSegment } from './load-segments.ts'
import { compoundDistance, findCandidates, type Candidate, type WantedWord } from './find-candidates.ts'
import type { Concept, Query } from '../query/parse-query.ts'
import type { SearchRequest } from './search-work.ts'
import type { SearchStore } from '../store.ts'
import { decodeCount } from '../words/term-counts.ts'
import { termHash } from '../words/term-hash.ts'
import { isCompounding, type Language } from '../../text/words/languages.ts'
import { cachedTermsOf } from '../../text/words/word-cache.ts'

const minTypoLength = 4
/** The minimum word length from which two letters may be wrong. */
const twoTyposLength = 8
/** A word with at most this many occurrences may be a typo if a similar word is `minFrequencyRatio` times as frequent. */
const rareOccurrences = 2
const minRareLength = 5
const minFrequencyRatio = 20
/** The minimum length of a word that is looked for in compounds. */
const minPartLength = 5
const onlyLetters = /^[\p{L}\p{M}]+$/u

/**
 * Query expansion: returns the query with alternatives for its words. For a word that no book of these segments has, these are similar
 * words, and compounds in languages that write them as one word; for the last word, which may be unfinished, words that begin with it; for
 * `word*`, all words that begin with it. Considers only words of books that the search covers.
 */
export async function expandQuery(
  search: SearchStore,
  segments: LoadedSegment[],
  { query, work }: Pick<SearchRequest, 'query' | 'work'>,
): Promise<Query> {
  const wanted = query.concepts.flatMap((_, at) => wantedWordOf(query, at, usageOf(segments, at)) ?? [])
  if (wanted.length === 0) return query
  const candidates = await findCandidates(search, segments, { wanted, work })
  if (candidates.every((each) => each.length === 0)) return query
  await loadTerms(search, segments, new Set(candidates.flat().map(({ term }) => termHash(term))))
  const concepts = [...query.concepts]
  for (const [index, each] of wanted.entries()) {
    if (work.pacer.isDue()) await work.pacer.yieldTurn()
    const { at } = each
    const changed = withCandidates(concepts[at] as Concept, each, {
      candidates: candidates[index] as Candidate[],
      languages: query.languages,
      usage: (term, languages) => {
        const searched = { hashes: [termHash(term)], termLanguages: [languages] }
        return countUsage(segments.map((segment) => [segment, codesOf(segment, searched)]))
      },
    })
    if (!changed) continue
    concepts[at] = changed
    for (const segment of segments) segment.concepts[at] = codesOf(segment, changed)
  }
  return { ...query, concepts }
}

interface Usage {
  books: number
  /** The approximate number of its occurrences. */
  occurrences: number
}

function usageOf(segments: readonly LoadedSegment[], at: number): Usage {
  return countUsage(segments.map((segment) => [segment, segment.concepts[at] as BookCodes]))
}

function countUsage(segments: readonly [LoadedSegment, BookCodes][]): Usage {
  let books = 0
  let occurrences = 0
  for (const [{ live }, { codes }] of segments) {
    for (let at = 0; at < codes.length; at++) {
      if (codes[at] === 0 || live[at] !== 1) continue
      books++
      occurrences += Math.max(1, decodeCount(codes[at] as number))
    }
  }
  return { books, occurrences }
}

/** Returns what to search for instead of a word, or in addition to it; null: the word itself only. */
function wantedWordOf({ concepts, phrases, languages }: Query, at: number, usage: Usage): WantedWord | null {
  const { books, occurrences } = usage
  const { word, prefix, phraseOnly, corrections } = concepts[at] as Concept
  if (corrections !== undefined) return null
  if (prefix) return { at, word, edits: 0, completes: true, isPart: false, occurrences }
  if (phraseOnly || !onlyLetters.test(word)) return null
  const completes = books === 0 && at === concepts.length - 1 && phrases.length === 0
  const isUnknown = books === 0 && word.length >= minTypoLength
  const isRare = books > 0 && occurrences <= rareOccurrences && word.length >= minRareLength
  const edits = isUnknown && word.length >= twoTyposLength ? 2 : isUnknown || isRare ? 1 : 0
  const isPart = isUnknown && word.length >= minPartLength && languages.some(isCompounding)
  return edits > 0 || completes ? { at, word, edits, completes, isPart, occurrences } : null
}

/** The languages in which a term is looked for; null: all. */
type TermLanguages = ReadonlySet<Language> | null

interface CandidateTerms {
  candidates: readonly Candidate[]
  /** The languages of the searched books. */
  languages: readonly Language[]
  usage(term: string, languages: TermLanguages): Usage
}

interface Alternative {
  term: string
  languages: TermLanguages
  /** The smallest edit distance of its words. */
  distance: number
  occurrences: number
  words: string[]
  hasWrongFirstLetter: boolean
}

/** Returns the concept with the terms of the most likely candidates; null if no book has any of them. */
function withCandidates(
  concept: Concept,
  wanted: WantedWord,
  { candidates, languages, usage }: CandidateTerms,
): Concept | null {
  const alternatives: Alternative[] = []
  for (const [term, words] of Map.groupBy(candidates, (candidate) => candidate.term)) {
    const distance = Math.min(...words.map((each) => each.distance))
    const isCompound = distance === compoundDistance
    const ofTerm = isCompound ? new Set(languages.filter(isCompounding)) : languagesOf(words, languages)
    const { books, occurrences } = usage(term, ofTerm)
    if (books === 0 || concept.terms.includes(term)) continue
    alternatives.push({
      term,
      languages: ofTerm,
      distance,
      occurrences,
      words: words.toSorted((a, b) => a.distance - b.distance || b.count - a.count).map(({ word }) => word),
      hasWrongFirstLetter: words.every(({ word }) => word[0] !== concept.word[0]),
    })
  }
  const completions = concept.prefix || wanted.completes ? chooseCompletions(concept, alternatives) : []
  const chosen = [...completions, ...chooseCompounds(alternatives)]
  const [picked, corrections] = chosen.length > 0 ? [chosen, []] : chooseCorrections(alternatives, wanted.occurrences)
  if (picked.length === 0) return null
  return {
    ...concept,
    terms: [...concept.terms, ...picked.map(({ term }) => term)],
    hashes: [...concept.hashes, ...picked.map(({ term }) => termHash(term))],
    termLanguages: [
      ...(concept.termLanguages ?? concept.terms.map(() => null)),
      ...picked.map((each) => each.languages),
    ],
    weights: [...concept.terms.map(() => 1), ...picked.map(({ weight }) => weight)],
    corrections,
  }
}

/**
 * Returns the languages in which one of some words has its term; null if it has it in none of them, because the list has words without their
 * accents.
 */
function languagesOf(words: readonly Candidate[], languages: readonly Language[]): TermLanguages {
  const found = languages.filter((language) =>
    words.some(({ word, term }) => cachedTermsOf(word, language).includes(term)),
  )
  return found.length === 0 ? null : new Set(found)
}

interface WeightedTerm extends Pick<Alternative, 'term' | 'languages'> {
  weight: number
}

const maxCompletions = 32
const maxGuessedCompletions = 12
const guessedWeight = 0.8

/** Returns the most frequent words that begin with the word of the concept. */
function chooseCompletions({ prefix }: Concept, alternatives: readonly Alternative[]): WeightedTerm[] {
  return alternatives
    .filter(({ distance }) => distance === 0)
    .sort((a, b) => b.occurrences - a.occurrences)
    .slice(0, prefix ? maxCompletions : maxGuessedCompletions)
    .map(({ term, languages }) => ({ term, languages, weight: prefix ? 1 : guessedWeight }))
}

const maxCompounds = 12
const compoundWeight = 0.7

/** Returns the most frequent compounds that contain the word. */
function chooseCompounds(alternatives: readonly Alternative[]): WeightedTerm[] {
  return alternatives
    .filter(({ distance }) => distance === compoundDistance)
    .sort((a, b) => b.occurrences - a.occurrences)
    .slice(0, maxCompounds)
    .map(({ term, languages }) => ({ term, languages, weight: compoundWeight }))
}

const maxCorrections = 6
const correctionWeight = 0.8
/** The share of `correctionWeight` that applies if books contain the word itself, so that exact matches rank first. */
const shareIfExactExists = 0.5
/** The share of the likelihood if the first letter is wrong, which is less common. */
const wrongFirstLetterShare = 0.5

/** Returns the most likely corrections: the words with the smallest edit distance, the most frequent first. */
function chooseCorrections(alternatives: readonly Alternative[], exact: number): [WeightedTerm[], string[]] {
  const eligible = alternatives.filter(
    ({ distance, occurrences }) =>
      distance > 0 && distance < compoundDistance && occurrences >= exact * minFrequencyRatio,
  )
  const minDistance = Math.min(...eligible.map(({ distance }) => distance))
  const nearest = eligible.filter(({ distance }) => distance === minDistance)
  const likelihood = ({ occurrences, hasWrongFirstLetter }: Alternative) =>
    Math.log(1 + occurrences) * (hasWrongFirstLetter ? wrongFirstLetterShare : 1)
  const mostLikely = nearest.sort((a, b) => likelihood(b) - likelihood(a)).slice(0, maxCorrections)
  const maxLikelihood = mostLikely[0] ? likelihood(mostLikely[0]) : 1
  const share = (exact > 0 ? shareIfExactExists : 1) / minDistance
  const terms = mostLikely.map((each) => ({
    term: each.term,
    languages: each.languages,
    weight: correctionWeight * (0.5 + 0.5 * (likelihood(each) / maxLikelihood)) * share,
  }))
  return [terms, mostLikely.flatMap(({ words }) => words)]
}
