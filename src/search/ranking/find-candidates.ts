import { runSteps } from '../../runtime/turns.ts'
import type { SegmentRowKey } from '../index/library-index-store.ts'
import type { LoadedSegment } from './load-segments.ts'
import type { SearchWork } from './search-work.ts'
import { editDistance } from '../../text/words/edit-distance.ts'
import { shardOf } from '../words/shards.ts'
import type { SearchStore } from '../store.ts'
import { beginningHash, endHash, longWord, type ListedWord } from '../words/word-list.ts'
import { forEachLikeWord, isCompoundOf, scanWords, type ScannedRow } from '../words/word-scan.ts'

/** A word of a query to search for in the word lists. */
export interface WantedWord {
  /** The index of its concept. */
  at: number
  word: string
  /** The maximum edit distance, 0 to 2. */
  edits: number
  /** True if words that begin with it are wanted too. */
  completes: boolean
  /** True if compounds that begin or end with it are wanted too. */
  isPart: boolean
  /** The number of occurrences of the word itself. */
  occurrences: number
}

/** A word of a word list that may be meant. */
export interface Candidate extends ListedWord {
  /** The edit distance; 0: it begins with the wanted word. `compoundDistance`: the wanted word is a part of it. */
  distance: number
}

/** The distance of a compound that contains the wanted word. It is greater than any edit distance. */
export const compoundDistance = 3

/** The maximum number of candidates at each edit distance, of completions, and of compounds; the most frequent are kept. */
const maxCandidates = 24
const maxCompletions = 64
const maxCompounds = 24

/**
 * Finds for each wanted word the listed words that may be meant, with one query to the store per owner. Finds only some of them when the work
 * is used up.
 */
export async function findCandidates(
  { libraries }: SearchStore,
  segments: readonly LoadedSegment[],
  { wanted, work }: { wanted: readonly WantedWord[]; work: SearchWork },
): Promise<Candidate[][]> {
  const { pacer } = work
  const hashes = wanted.map(lookupHashes)
  const found = wanted.map(() => new Map<string, Candidate>())
  await Promise.all(
    [...Map.groupBy(segments, ({ ownerId }) => ownerId)].map(async ([ownerId, loaded]) => {
      const lookups = planLookups(loaded, hashes)
      const rows = await libraries.readWords(ownerId, [...lookups.keys.values()])
      const seen = new Set<string>()
      for (const [key, bytes] of rows) {
        if (pacer.isDue()) await pacer.yieldTurn()
        if (work.listedWords <= 0) return
        const row = await runSteps(pacer, scanWords(bytes))
        for (const index of lookups.wanted.get(nameOf(key)) ?? []) {
          work.listedWords -= row.letters.length
          if (work.listedWords <= 0) return
          const inSegment = { work, segmentId: key.segmentId, seen, found: found[index] as Map<string, Candidate> }
          await runSteps(pacer, scanRow(row, wanted[index] as WantedWord, inSegment))
        }
      }
    }),
  )
  return found.map((candidates) => selectCandidates([...candidates.values()]))
}

/** Returns the hashes that select the rows in which similar words, or completions, of a word may be listed. */
function lookupHashes({ word, edits, completes, isPart }: WantedWord): number[] {
  const hashes: number[] = []
  for (const length of [2, 3]) {
    const isLong = length === 3
    const hasNear = edits > 0 && (isLong ? word.length + edits >= longWord : word.length - edits < longWord)
    const hasCompletions = completes && word.length >= 3 && (isLong || word.length < longWord)
    // Compounds are long words.
    const hasCompounds = isPart && isLong
    if (hasNear || hasCompletions || hasCompounds) hashes.push(beginningHash(word.slice(0, length)))
    if (hasNear || hasCompounds) hashes.push(endHash(word.slice(-length)))
    // In a word of four letters, one swap of letters can change both its beginning and its end.
    if (hasNear && word.length === 4) hashes.push(beginningHash(`${word[0]}${word[2]}${isLong ? word[1] : ''}`))
  }
  return hashes
}

interface Lookups {
  keys: Map<string, SegmentRowKey>
  /** For each row, the indexes of the wanted words that may have candidates in it. */
  wanted: Map<string, Set<number>>
}

function nameOf({ segmentId, shard }: SegmentRowKey): string {
  return `${segmentId}:${shard}`
}

function planLookups(segments: readonly LoadedSegment[], hashesOfWords: readonly (readonly number[])[]): Lookups {
  const lookups: Lookups = { keys: new Map(), wanted: new Map() }
  for (const { segment } of segments) {
    if (segment.wordBits === undefined) continue
    for (const [index, hashes] of hashesOfWords.entries()) {
      for (const hash of hashes) {
        const key = { segmentId: segment.id, shard: shardOf(hash, segment.wordBits) }
        const name = nameOf(key)
        lookups.keys.set(name, key)
        const known = lookups.wanted.get(name)
        if (known) known.add(index)
        else lookups.wanted.set(name, new Set([index]))
      }
    }
  }
  return lookups
}

/** Comparing a word letter by letter takes as long as skipping this many words. */
const costOfComparison = 16

interface Scan {
  work: SearchWork
  segmentId: string
  /** The words already counted, by segment: a word can be in two rows. */
  seen: Set<string>
  found: Map<string, Candidate>
}

function scanRow(
  row: ScannedRow,
  { at, word, edits, completes, isPart }: WantedWord,
  { work, segmentId, seen, found }: Scan,
): Generator<void, void> {
  const { length } = word
  const visit = (listed: string, count: number, termOf: () => string) => {
    work.listedWords -= costOfComparison
    const isCompletion = completes && listed.length > length && listed.startsWith(word)
    const edited = isCompletion ? 0 : edits === 0 ? 1 : editDistance(listed, word, edits)
    const isCompound = edited > edits && isPart && isCompoundOf(listed, word)
    const distance = isCompound ? compoundDistance : edited
    if (!isCompound && (distance > edits || (distance === 0 && !isCompletion))) return
    const term = termOf()
    const name = `${at} ${segmentId} ${listed} ${term}`
    if (seen.has(name)) return
    seen.add(name)
    const key = `${listed} ${term}`
    const known = found.get(key)
    if (known) known.count += count
    else found.set(key, { word: listed, term, count, distance })
  }
  return forEachLikeWord(row, { word, edits, completes, isPart }, visit)
}

/** Selects the most frequent candidates at each distance. Ties are broken alphabetically. */
function selectCandidates(candidates: Candidate[]): Candidate[] {
  const byFrequency = candidates.sort(
    (a, b) => b.count - a.count || compareLetters(a.word, b.word) || compareLetters(a.term, b.term),
  )
  const atDistance = (distance: number, limit: number) =>
    byFrequency.filter((candidate) => candidate.distance === distance).slice(0, limit)
  return [
    ...atDistance(0, maxCompletions),
    ...atDistance(1, maxCandidates),
    ...atDistance(2, maxCandidates),
    ...atDistance(compoundDistance, maxCompounds),
  ]
}

function compareLetters(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
