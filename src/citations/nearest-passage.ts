import { unspacedScripts } from './characters.ts'
import type { SearchableText } from './searchable-text.ts'

/** The words of a text as numbers, with their positions in the normal form. */
export interface WordIndex {
  ids: Int32Array
  starts: Int32Array
  ends: Int32Array
  idByWord: ReadonlyMap<string, number>
}

export interface NearestPassage {
  /** The start and the end, in UTF-16 units of the stored text of the page. */
  start: number
  end: number
  /** 0 to 0.99: the share of words, and of pairs of neighbouring words, that passage and quotation share. */
  similarity: number
}

/** A word, or one character of a script without spaces between words. */
const wordPattern = new RegExp(
  String.raw`[[\p{L}\p{N}\p{M}]&&[${unspacedScripts}]]|[[\p{L}\p{N}\p{M}]--[${unspacedScripts}]]+`,
  'gv',
)

/** The number of words between two steps. */
const wordsPerStep = 512

/** Indexes the words of a text in normal form, ignoring case, in steps. */
export function* indexWords(text: string): Generator<void, WordIndex> {
  const idByWord = new Map<string, number>()
  const [ids, starts, ends]: [number[], number[], number[]] = [[], [], []]
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    if (ids.length % wordsPerStep === 0) yield
    const folded = word.toLowerCase()
    let id = idByWord.get(folded)
    if (id === undefined) idByWord.set(folded, (id = idByWord.size + 1))
    ids.push(id)
    starts.push(index)
    ends.push(index + word.length)
  }
  return { ids: Int32Array.from(ids), starts: Int32Array.from(starts), ends: Int32Array.from(ends), idByWord }
}

/**
 * Returns the passage of a page that is most similar to the quotation and as long; null if they share no word. Takes time linear in the
 * number of words of the page, in steps.
 */
export function* nearestPassage(
  page: SearchableText,
  pageWords: WordIndex,
  quoteWords: WordIndex,
): Generator<void, NearestPassage | null> {
  const quoteCounts = countQuoteWords(pageWords, quoteWords)
  const { length } = quoteWords.ids
  const window = yield* bestWindow(pageWords.ids, quoteCounts, length)
  if (!window) return null
  const [from, to] = trimWindow(pageWords.ids, quoteCounts, window)
  const total = 2 * length - 1 + 2 * (window.to - window.from) - 1
  const similarity = Math.min(0.99, Math.round((200 * window.shared) / total) / 100)
  const start = page.normal.offsets.originalStart(pageWords.starts[from] as number)
  return { start, end: page.normal.offsets.originalEnd(pageWords.ends[to - 1] as number), similarity }
}

/** How often the quotation contains each word, and each pair of neighbouring words, of the page. */
type WordCounts = Map<number, number>

/** Ids of pairs are greater than all ids of words, because a page has fewer than a million different words. */
function pairId(first: number, second: number): number {
  return (first + 1) * 2 ** 21 + second
}

function countQuoteWords({ idByWord }: WordIndex, quoteWords: WordIndex): WordCounts {
  const inPage = new Map([...quoteWords.idByWord].map(([word, id]) => [id, idByWord.get(word) ?? 0]))
  const counts: WordCounts = new Map()
  const add = (key: number) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let before = 0
  for (const quoteWord of quoteWords.ids) {
    const id = inPage.get(quoteWord) ?? 0
    if (id > 0) add(id)
    if (id > 0 && before > 0) add(pairId(before, id))
    before = id
  }
  return counts
}

interface Window {
  from: number
  to: number
  shared: number
}

/** Slides a window over the page and counts the words and pairs that it shares with the quotation. */
function* bestWindow(ids: Int32Array, quoteCounts: WordCounts, length: number): Generator<void, Window | null> {
  const remaining = new Map(quoteCounts)
  let shared = 0
  const addToWindow = (key: number) => {
    const count = remaining.get(key)
    if (count === undefined) return
    if (count > 0) shared++
    remaining.set(key, count - 1)
  }
  const removeFromWindow = (key: number) => {
    const count = remaining.get(key)
    if (count === undefined) return
    if (count >= 0) shared--
    remaining.set(key, count + 1)
  }
  let best: Window | null = null
  for (let to = 1; to <= ids.length; to++) {
    if (to % wordsPerStep === 0) yield
    addToWindow(ids[to - 1] as number)
    if (to > 1) addToWindow(pairId(ids[to - 2] as number, ids[to - 1] as number))
    const from = Math.max(0, to - length)
    if (from > 0) {
      removeFromWindow(ids[from - 1] as number)
      removeFromWindow(pairId(ids[from - 1] as number, ids[from] as number))
    }
    if (shared > (best?.shared ?? 0)) best = { from, to, shared }
  }
  return best
}

/** Trims words that are not in the quotation from both ends of a window. */
function trimWindow(ids: Int32Array, quoteCounts: WordCounts, { from, to }: Window): [from: number, to: number] {
  let [first, last] = [from, to]
  while (first < last && !quoteCounts.has(ids[first] as number)) first++
  while (last > first && !quoteCounts.has(ids[last - 1] as number)) last--
  return [first, last]
}
