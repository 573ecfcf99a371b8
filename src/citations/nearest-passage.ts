import { unspacedClass } from './characters.ts'
import type { SearchedText } from './find-quote.ts'

/** The words of a text by number, with their places in its normal form. */
export interface Words {
  ids: Int32Array
  starts: Int32Array
  ends: Int32Array
  numbers: ReadonlyMap<string, number>
}

export interface Nearest {
  /** UTF-16 units of the page's text as it is stored. */
  start: number
  end: number
  /** 0 to 0.99: the share of words, and of pairs of neighbouring words, that passage and quotation have in common. */
  similarity: number
}

/** A character of a script without spaces between words, else a word. */
const words = new RegExp(
  String.raw`[[\p{L}\p{N}\p{M}]&&[${unspacedClass}]]|[[\p{L}\p{N}\p{M}]--[${unspacedClass}]]+`,
  'gv',
)

/** The words of a text in normal form, whatever their case. */
export function wordsOf(text: string): Words {
  const numbers = new Map<string, number>()
  const [ids, starts, ends]: [number[], number[], number[]] = [[], [], []]
  for (const { 0: word, index } of text.matchAll(words)) {
    const folded = word.toLowerCase()
    let id = numbers.get(folded)
    if (id === undefined) numbers.set(folded, (id = numbers.size + 1))
    ids.push(id)
    starts.push(index)
    ends.push(index + word.length)
  }
  return { ids: Int32Array.from(ids), starts: Int32Array.from(starts), ends: Int32Array.from(ends), numbers }
}

/**
 * The passage of a page, as long as the quotation, that is most like it; null when it has no word in common. Linear in the
 * words of the page.
 */
export function nearestPassage(page: SearchedText, pageWords: Words, quoteWords: Words): Nearest | null {
  const wanted = wantedOf(pageWords, quoteWords)
  const { length } = quoteWords.ids
  const window = bestWindow(pageWords.ids, wanted, length)
  if (!window) return null
  const [from, to] = trimmed(pageWords.ids, wanted, window)
  const all = 2 * length - 1 + 2 * (window.to - window.from) - 1
  const similarity = Math.min(0.99, Math.round((200 * window.shared) / all) / 100)
  const start = page.normal.pieces.start(pageWords.starts[from] as number)
  return { start, end: page.normal.pieces.end(pageWords.ends[to - 1] as number), similarity }
}

/** How often the quotation has each word, and each pair of neighbours, of the page. */
type Wanted = Map<number, number>

/** Pairs are numbered behind all words; a page has fewer than a million different ones. */
function pairOf(first: number, second: number): number {
  return (first + 1) * 2 ** 21 + second
}

function wantedOf({ numbers }: Words, quoteWords: Words): Wanted {
  const inPage = new Map([...quoteWords.numbers].map(([word, id]) => [id, numbers.get(word) ?? 0]))
  const wanted: Wanted = new Map()
  const add = (key: number) => wanted.set(key, (wanted.get(key) ?? 0) + 1)
  let before = 0
  for (const own of quoteWords.ids) {
    const id = inPage.get(own) ?? 0
    if (id > 0) add(id)
    if (id > 0 && before > 0) add(pairOf(before, id))
    before = id
  }
  return wanted
}

interface Window {
  from: number
  to: number
  shared: number
}

/** Slides over the page and counts what it shares with the quotation. */
function bestWindow(ids: Int32Array, wanted: Wanted, length: number): Window | null {
  const left = new Map(wanted)
  let shared = 0
  const take = (key: number) => {
    const count = left.get(key)
    if (count === undefined) return
    if (count > 0) shared++
    left.set(key, count - 1)
  }
  const giveBack = (key: number) => {
    const count = left.get(key)
    if (count === undefined) return
    if (count >= 0) shared--
    left.set(key, count + 1)
  }
  let best: Window | null = null
  for (let to = 1; to <= ids.length; to++) {
    take(ids[to - 1] as number)
    if (to > 1) take(pairOf(ids[to - 2] as number, ids[to - 1] as number))
    const from = Math.max(0, to - length)
    if (from > 0) {
      giveBack(ids[from - 1] as number)
      giveBack(pairOf(ids[from - 1] as number, ids[from] as number))
    }
    if (shared > (best?.shared ?? 0)) best = { from, to, shared }
  }
  return best
}

/** Without the words at either end that the quotation does not have. */
function trimmed(ids: Int32Array, wanted: Wanted, { from, to }: Window): [from: number, to: number] {
  let [first, last] = [from, to]
  while (first < last && !wanted.has(ids[first] as number)) first++
  while (last > first && !wanted.has(ids[last - 1] as number)) last--
  return [first, last]
}
