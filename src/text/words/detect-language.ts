import { fold } from './fold.ts'
import { functionWords } from './function-words.ts'
import { defaultLanguage, languageOf, type Language } from './languages.ts'

/** The maximum number of words that are examined. */
const maxWords = 2000
const letter = /^[\p{L}\p{M}]$/u
/** The classes of UTF-16 units; 0: not classified yet. */
const [other, letterUnit] = [1, 2]
const kinds = new Uint8Array(0x10000)

/** Scripts, with the languages that they indicate: one or a few. Latin letters indicate none of their own. */
const scripts: readonly [letters: RegExp, languages: readonly Language[]][] = [
  [/^[a-z\p{sc=Latin}]/u, []],
  [/^\p{sc=Cyrillic}/u, ['ru', 'uk', 'bg', 'sr']],
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, ['ja']],
  [/^\p{sc=Han}/u, ['zh']],
  [/^\p{sc=Hangul}/u, ['ko']],
  [/^\p{sc=Arabic}/u, ['ar', 'fa']],
  [/^\p{sc=Devanagari}/u, ['hi']],
  [/^\p{sc=Greek}/u, ['el']],
  [/^\p{sc=Hebrew}/u, ['he']],
  [/^\p{sc=Thai}/u, ['th']],
  [/^\p{sc=Tamil}/u, ['ta']],
  [/^\p{sc=Armenian}/u, ['hy']],
]
const otherScripts = new Set(scripts.flatMap(([, languages]) => languages))

/** The languages of each function word. */
const languagesByWord = new Map<string, Language[]>()
for (const [language, words] of functionWords) {
  for (const word of words) languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), language])
}

/** For each script: whether a whole clause looks like one word, because no spaces divide it. Two of its characters count as a word. */
const unspaced = scripts.map(([letters]) => letters.test('漢') || letters.test('か'))

/**
 * Signs that only Vietnamese uses, decomposed: the horn, the hook, and a tone on a vowel with another sign. They show the language of a word
 * as clearly as a function word does.
 */
const vietnameseSigns = /[\u031b\u0309]|[\u0302\u0306][\u0300\u0301\u0303]|\u0323[\u0302\u0306]/

/** For each script: whether some function word is written in it. */
const hasFunctionWords = scripts.map(([letters]) => [...languagesByWord.keys()].some((word) => letters.test(word)))

interface Evidence {
  words: number
  /** The number of function words by language. A word of several languages counts as a fraction for each. */
  scores: Map<Language, number>
  /** The number of words by script, as an index into `scripts`. */
  scripts: number[]
}

/**
 * The share of function words in prose of the languages that have clearly fewer of them than others: endings do what elsewhere prepositions
 * and articles do.
 */
const shares: ReadonlyMap<Language, number> = new Map(
  Object.entries({ fi: 0.09, tr: 0.13, uk: 0.16, pl: 0.2, cs: 0.2, id: 0.2, hu: 0.22, ru: 0.22 }),
)
const usualShare = 0.36

function shareOf(language: Language | null): number {
  return shares.get(language ?? '') ?? usualShare
}

/** A language other than the expected one needs more than this many times its function words, and this many more. */
const scoreFactor = 2
const scoreMargin = 4
/**
 * The minimum share of function words. A text with fewer is a list of names or formulas. The second applies if the expected language has no
 * list of function words: a text with fewer may be in the expected language and only contain words of a related one.
 */
const minShare = 0.06
const minShareOfRelated = 0.2
/** The same for a text whose language is left open rather than assumed, so that code and names do not count as prose. */
const minShareWithoutMetadata = 0.1

/**
 * Detects the language of a text from its script and its function words. Returns the expected language (from metadata, or from the text
 * before) unless the text is clearly in another one.
 */
export function detectLanguage(text: string, expected: Language | null): Language {
  const evidence = collectEvidence(text)
  if (evidence.words === 0) return expected ?? defaultLanguage
  const candidates = candidatesOf(evidence)
  const isCandidate = (language: Language) => isAmong(candidates, language)
  const known = expected !== null && isCandidate(expected) ? expected : null
  const scoreOf = (language: Language | null) => evidence.scores.get(language ?? '') ?? 0
  const best = [...evidence.scores]
    .filter(([language]) => isCandidate(language))
    .reduce<[Language | null, number]>((max, each) => (each[1] > max[1] ? each : max), [null, 0])
  const share = known === null || functionWords.has(known) ? minShare : minShareOfRelated
  // A page with some English has more English function words than Finnish ones, even if most of it is Finnish.
  const factor = scoreFactor * Math.max(1, shareOf(best[0]) / shareOf(known))
  const isConfident = best[1] >= share * evidence.words && best[1] > scoreOf(known) * factor + (known ? scoreMargin : 0)
  if (best[0] !== null && isConfident) return best[0]
  return known ?? candidates[0] ?? best[0] ?? defaultLanguage
}

/**
 * The language of a text without metadata; null unless its script or its function words clearly indicate one: at least a few, a tenth of
 * all words, and more than twice as many as those of any other language.
 */
export function recogniseLanguage(text: string): Language | null {
  const evidence = collectEvidence(text)
  const candidates = candidatesOf(evidence)
  if (candidates.length === 1) return candidates[0] ?? null
  const [best, second] = [...evidence.scores]
    .filter(([language]) => isAmong(candidates, language))
    .toSorted(([, a], [, b]) => b - a)
  if (!best || best[1] < scoreMargin || best[1] < minShareWithoutMetadata * evidence.words) return null
  return best[1] > (second?.[1] ?? 0) * scoreFactor ? best[0] : null
}

/**
 * The BCP 47 tag of a text: the one in the metadata of its book, or the recognised language if there is no tag or the text clearly
 * contradicts it. Empty if neither is known. A tag of a language that cannot be recognised is kept.
 */
export function languageTagOf(text: string, tag: string | null): string {
  const [declared, found] = [languageOf(tag), recogniseLanguage(text)]
  const isUnknown = declared !== null && !functionWords.has(declared) && !otherScripts.has(declared)
  return found === null || found === declared || isUnknown ? (tag ?? '') : found
}

/** The languages that the script of most words indicates; none: a script of many languages. */
function candidatesOf({ scripts: words }: Evidence): readonly Language[] {
  const most = words.indexOf(Math.max(...words))
  // Japanese text has more Chinese characters than kana. Chinese text has no kana.
  const [kana, han] = [words[2] as number, words[3] as number]
  const [letters, languages] = scripts[most] as (typeof scripts)[number]
  return letters.test('漢') && kana * 8 > han ? ['ja'] : languages
}

function isAmong(candidates: readonly Language[], language: Language): boolean {
  return candidates.length === 0 ? !otherScripts.has(language) : candidates.includes(language)
}

/** What a word indicates about the language of its text. */
interface Clue {
  /** The index of its script; -1: a script that indicates no language. */
  script: number
  languages: readonly Language[]
}

/** A cache of clues. Short words make up most of a text, and they repeat. */
const clues = new Map<string, Clue>()
const maxClues = 5000
const maxKeptLength = 12

function clueOf(raw: string): Clue {
  const known = clues.get(raw)
  if (known) return known
  const script = scripts.findIndex(([letters]) => letters.test(raw))
  // In scripts without spaces, nearly every clause is a word that occurs once.
  if (script >= 0 && !hasFunctionWords[script]) return { script, languages: [] }
  const folded = fold(raw)
  const languages = languagesByWord.get(folded) ?? []
  const toned = fold(raw, 'vi')
  const all = toned === folded ? languages : [...languages, ...(languagesByWord.get(toned) ?? [])]
  const isVietnamese = toned !== folded && vietnameseSigns.test(raw.normalize('NFD'))
  const clue = { script, languages: isVietnamese ? ['vi'] : all }
  if (clues.size >= maxClues) clues.clear()
  if (raw.length <= maxKeptLength) clues.set(raw, clue)
  return clue
}

/** Returns the length of the letter or mark at an offset, in UTF-16 units; 0 if there is none. */
function letterAt(text: string, at: number): number {
  if (at >= text.length) return 0
  const unit = text.charCodeAt(at)
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const character = String.fromCodePoint(text.codePointAt(at) as number)
    return character.length === 2 && letter.test(character) ? 2 : 0
  }
  kinds[unit] ||= letter.test(String.fromCharCode(unit)) ? letterUnit : other
  return kinds[unit] === letterUnit ? 1 : 0
}

function collectEvidence(text: string): Evidence {
  const evidence: Evidence = { words: 0, scores: new Map(), scripts: scripts.map(() => 0) }
  for (let at = 0; at < text.length;) {
    const start = at
    for (let width = letterAt(text, at); width > 0; width = letterAt(text, at)) at += width
    if (at === start) {
      at++
      continue
    }
    const raw = text.slice(start, at)
    if (++evidence.words > maxWords) break
    const { script, languages: all } = clueOf(raw)
    if (script >= 0) (evidence.scripts[script] as number) += unspaced[script] ? Math.ceil(raw.length / 2) : 1
    for (const language of all) evidence.scores.set(language, (evidence.scores.get(language) ?? 0) + 1 / all.length)
  }
  return evidence
}
