import { isJoined, joinParts, type Part } from './join-parts.ts'
import { defaultLanguage, type Language } from './languages.ts'
import { analyseUnspaced } from './unspaced.ts'
import { nextWord, releaseUnits, takeUnits, type TextUnits, type WordScan } from './scan-words.ts'
import { visitWord, wordsPerStep, type TokenSink, type Visit } from './token.ts'
import { analyseWordAt, type CachedWord } from './word-cache.ts'

/** Calls `visit` for every token of a text in NFC. The tokens of each term are in order of position. Returns the number of positions. */
export function analyse(text: string, visit: Visit, language: Language = defaultLanguage): number {
  const steps = analyseInSteps(text, visit, language)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Like `analyse`, but yields every few hundred words, so that a long text does not block the event loop. */
export function* analyseInSteps(
  text: string,
  to: Visit | TokenSink,
  language: Language = defaultLanguage,
): Generator<void, number> {
  const sink = typeof to === 'function' ? null : to
  const visit = typeof to === 'function' ? to : to.visit
  const state: Analysis = {
    source: takeUnits(text),
    visit,
    sink,
    language,
    position: 0,
    scan: { start: 0, end: 0, hash: 0 },
    last: '',
    lastPosition: 0,
    lastStart: 0,
    lastEnd: noEnd,
    joined: null,
  }
  for (;;) {
    const stop = analyseSome(state)
    if (stop === null) break
    if (stop !== 'rest') {
      const at = { start: state.scan.start, position: state.position }
      state.position = yield* analyseUnspaced(stop.raw, at, { visit, language })
    }
    yield
  }
  releaseUnits(state.source)
  return state.position
}

/** The end of the last word when there is none: too far away for any word to be joined to it. */
const noEnd = -10

interface Analysis {
  source: TextUnits
  visit: Visit
  /** Receives ordinary words; null: `visit` receives them. */
  sink: TokenSink | null
  language: Language
  position: number
  scan: WordScan
  /** The last word, if the next one may be joined to it, and its place. */
  last: string
  lastPosition: number
  lastStart: number
  lastEnd: number
  /** All words that are joined so far; null for most words, which are not joined. */
  joined: Part[] | null
}

/** The length of the text between two steps, unless it is a single word, UTF-16 units. */
const unitsPerStep = 4096

/** Visits the next words. Returns null at the end of the text, `rest` if there may be more, or a word of a script without spaces. */
function analyseSome(state: Analysis): CachedWord | 'rest' | null {
  const { source, visit, sink, language, scan } = state
  const until = scan.end + unitsPerStep
  for (let words = 0; words < wordsPerStep && scan.end < until; words++) {
    if (sink?.skip) skipWords(state, sink.skip(source, scan.end))
    if (!nextWord(source, scan)) {
      finishJoined(state)
      return null
    }
    if (sink?.skipsWord?.(source.text, scan)) {
      finishJoined(state)
      state.position++
      continue
    }
    const { start, end } = scan
    const analysed = analyseWordAt(source, scan, language)
    const joins = canJoin(source.units, state.lastEnd, start) && joinsLast(state, analysed)
    if (joins) state.joined ??= [lastPart(state)]
    else finishJoined(state)
    if (analysed.unspaced) {
      finishJoined(state)
      return analysed
    }
    if (analysed.word === '') continue
    const { position } = state
    if (analysed.isPlain && sink?.plain) sink.plain(analysed, position, start)
    else visitWord(analysed, { position, start, end }, visit)
    state.last = analysed.word
    state.lastPosition = position
    state.lastStart = start
    state.lastEnd = end
    if (state.joined !== null) state.joined.push(lastPart(state))
    state.position = position + (analysed.parts.length || 1)
  }
  return 'rest'
}

/** Continues after skipped words. The words before them are not joined to the words after them. */
function skipWords(state: Analysis, to: number): void {
  if (to === state.scan.end) return
  finishJoined(state)
  state.scan.end = to
}

/** False for two words that `isJoined` need not check: nearly all words, because a space or more separates them. */
function canJoin(units: Uint16Array, lastEnd: number, start: number): boolean {
  const gap = start - lastEnd
  if (gap === 1) return units[lastEnd] !== 0x20 || isDigit(units[start] as number)
  return gap === 3 && units[lastEnd + 1] === 0x26
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function joinsLast(state: Analysis, { raw, word }: CachedWord): boolean {
  const { source, last, lastStart, lastEnd, scan } = state
  return isJoined(source.text, { word: last, start: lastStart, end: lastEnd }, { start: scan.start, raw, word })
}

function lastPart({ source, last, lastPosition, lastStart, lastEnd }: Analysis): Part {
  return {
    word: last,
    position: lastPosition,
    start: lastStart,
    end: lastEnd,
    dotted: isDotted(source, lastStart),
  }
}

/** Visits the words that are joined so far as one word. The next word is not joined to them. */
function finishJoined(state: Analysis): void {
  const { source, visit, language, joined } = state
  if (joined !== null) joinParts(source.text, joined, { visit, language })
  else if (state.lastEnd !== noEnd && isDotted(source, state.lastStart))
    joinParts(source.text, [lastPart(state)], { visit, language })
  state.joined = null
  state.lastEnd = noEnd
}

const wordCharacter = /[\p{L}\p{N}\p{M}]/u

/** True for `.NET` and `.gitignore`. */
function isDotted({ text, units }: TextUnits, start: number): boolean {
  if (start === 0 || units[start - 1] !== 0x2e) return false
  const before = text[start - 2]
  return (
    (before === undefined || !(wordCharacter.test(before) || '.)]?!"\'’”'.includes(before))) &&
    /^[\p{L}]{2}/u.test(text.slice(start, start + 4))
  )
}
