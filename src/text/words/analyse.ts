import { isJoined, joinParts, type Part } from './join-parts.ts'
import { defaultLanguage, type Language } from './languages.ts'
import { analyseUnspaced } from './unspaced.ts'
import { nextWord, type WordScan } from './scan-words.ts'
import { visitWord, wordsPerStep, type TokenSink, type Visit } from './token.ts'
import { analyseWordAt, type CachedWord } from './word-cache.ts'

/**
 * Calls `visit` for every token of a text (in NFC), in order of position for each term. Returns the number of
 * positions.
 */
export function analyse(text: string, visit: Visit, language: Language = defaultLanguage): number {
  const steps = analyseInSteps(text, visit, language)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same, yielding every few hundred words, so that a long text need not hold the event loop. */
export function* analyseInSteps(
  text: string,
  to: Visit | TokenSink,
  language: Language = defaultLanguage,
): Generator<void, number> {
  const sink = typeof to === 'function' ? null : to
  const visit = typeof to === 'function' ? to : to.visit
  const state: Analysis = {
    text,
    visit,
    sink,
    language,
    position: 0,
    scan: { start: 0, end: 0, hash: 0 },
    last: null,
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
  return state.position
}

interface Analysis {
  text: string
  visit: Visit
  /** Takes ordinary words; null: `visit` does. */
  sink: TokenSink | null
  language: Language
  position: number
  scan: WordScan
  /** The last word, as far as the next one may be joined to it, and all that are joined so far; most words are joined to none. */
  last: Part | null
  joined: Part[] | null
}

/** Visits the next words; null at the end of the text, `rest` when there may be more, and a word of a script without spaces. */
function analyseSome(state: Analysis): CachedWord | 'rest' | null {
  const { text, visit, sink, language, scan } = state
  for (let words = 0; words < wordsPerStep; words++) {
    if (sink?.skip) skipWords(state, sink.skip(text, scan.end))
    if (!nextWord(text, scan)) {
      finishJoined(state)
      return null
    }
    if (sink?.passesOver?.(text, scan)) {
      if (state.last !== null) finishJoined(state)
      state.position++
      continue
    }
    const { start, end } = scan
    const analysed = analyseWordAt(text, scan, language)
    if (state.last !== null && !isJoined(text, state.last, { start, raw: analysed.raw })) finishJoined(state)
    if (analysed.unspaced) {
      finishJoined(state)
      return analysed
    }
    if (analysed.word === '') continue
    const { position } = state
    if (analysed.isPlain && sink?.plain) sink.plain(analysed, position, start)
    else visitWord(analysed, { position, start, end }, visit)
    const part: Part = { word: analysed.word, position, start, end, dotted: isDotted(text, start) }
    if (state.last !== null) (state.joined ??= [state.last]).push(part)
    state.last = part
    state.position = position + (analysed.parts.length || 1)
  }
  return 'rest'
}

/** Goes on behind words that are not looked up, to which those before are not joined. */
function skipWords(state: Analysis, to: number): void {
  if (to === state.scan.end) return
  if (state.last !== null) finishJoined(state)
  state.scan.end = to
}

/** Visits the words that are joined so far as one. */
function finishJoined(state: Analysis): void {
  const { text, visit, language, last, joined } = state
  if (joined !== null) joinParts(text, joined, { visit, language })
  else if (last?.dotted) joinParts(text, [last], { visit, language })
  state.joined = null
  state.last = null
}

const wordCharacter = /[\p{L}\p{N}\p{M}]/u

/** True for `.NET` and `.gitignore`. */
function isDotted(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== 0x2e) return false
  const before = text[start - 2]
  return (
    (before === undefined || !(wordCharacter.test(before) || '.)]?!"\'’”'.includes(before))) &&
    /^[\p{L}]{2}/u.test(text.slice(start, start + 4))
  )
}
