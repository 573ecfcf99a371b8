import { startsUnspaced, endsUnspaced, endsWithLetter, isLetterAt, unspacedScripts } from './characters.ts'
import { createOffsetMap, type OffsetMap } from './offset-map.ts'

/** A text without what may differ between a page and an honest quotation of it, and the way back to the original. */
export interface NormalizedText {
  text: string
  offsets: OffsetMap
}

/** What is written differently in the normal form, beside text whose marks are not composed (NFC). */
const commonReplacements = [
  // A single space stays as it is, unless a table or a script without spaces follows.
  String.raw`[^\S ][\s\p{Cf}]*|\p{Cf}[\s\p{Cf}]*| (?:[\s\p{Cf}]+|(?=[|${unspacedScripts}]))`,
  String.raw`[-\u2010\u2011]+`,
  String.raw`[\u2012-\u2015\u2212]`,
  String.raw`[\u2018-\u201b\u2032\u2039\u203a\u02bc\u00b4]`,
  String.raw`[\u201c-\u201f\u2033\u00ab\u00bb\u300c-\u300f]`,
  String.raw`\u2026`,
  String.raw`[\ufb00-\ufb06\ufb13-\ufb17\uff01-\uff5e]`,
  String.raw`\\(?=[!-\/:-@[-\x60{-~])`,
  String.raw`\*+|_+|~~+|\x60+`,
  // A link shows its text: its brackets and its address go. Bounded, so that hostile text takes linear time.
  String.raw`!?\[(?=[^[\]\n]{0,500}\]\()`,
  String.raw`\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s+"[^"\n]{0,200}")?\)`,
].join('|')
const composedPattern = new RegExp(commonReplacements, 'gu')
const decomposedPattern = new RegExp(
  String.raw`${commonReplacements}|[^\p{M}\s]\p{M}+|[\u1100-\u11ff]+|[\u2126\u212a\u212b\uf900-\ufaff]`,
  'gu',
)

/** Marks at the beginning of a line: quotations, headings, list items, cells and rules of tables, fences of code. */
const lineMarkPattern =
  /(?:(?:>+|#{1,6}(?=\s)|[-*+\u2022](?=\s)|\||:?-+:?(?=[ \t]*\|)|-{3,}(?=\s|$)|={3,}|`{3,}[^\n]*|~{3,}[^\n]*)[\s\p{Cf}]*)+/uy
const cellMarkPattern = /\|(?=\s|$)/uy
const spacePattern = /[\s\p{Cf}]+/uy
const emphasisPattern = /[*_~`\\]+/uy
const lineEndPattern = /[\n\r\u2028\u2029]/

/**
 * The normal form in which quotations are compared. White space is one space, also where a word is hyphenated across
 * lines; typographic quotes, dashes, dots, ligatures and full-width letters are plain ones; accents are composed (NFC);
 * soft hyphens, hyphens inside words, invisible characters and Markdown's marks are left out. Case, words and numbers
 * stay. Linear in the text.
 */
export function normalizeText(raw: string): NormalizedText {
  const state: NormalizerState = { raw, parts: [], length: 0, tail: '', at: 0, offsets: createOffsetMap() }
  const margin = endOf(lineMarkPattern, raw, 0)
  if (margin > 0) replaceNext(state, { by: '', length: margin })
  const pattern = raw.normalize('NFC') === raw ? composedPattern : decomposedPattern
  for (const { 0: found, index } of raw.matchAll(pattern)) {
    // What a longer change before it has taken already.
    if (index < state.at) continue
    append(state, raw.slice(state.at, index))
    state.at = index
    applyReplacement(state, found)
  }
  append(state, raw.slice(state.at))
  return { text: state.parts.join('').trimEnd(), offsets: state.offsets }
}

interface NormalizerState {
  raw: string
  parts: string[]
  /** Of all parts. */
  length: number
  /** The last units of the parts. */
  tail: string
  /** How far the original is taken over. */
  at: number
  offsets: OffsetMap
}

function append(state: NormalizerState, text: string): void {
  if (text === '') return
  state.parts.push(text)
  state.length += text.length
  state.tail = text.length < 4 ? (state.tail + text).slice(-4) : text.slice(-4)
}

function applyReplacement(state: NormalizerState, found: string): void {
  const [first] = found as unknown as [string]
  if (/[\s\p{Cf}]/u.test(first)) return normalizeSpace(state, found)
  if (first === '-' || first === '\u2010' || first === '\u2011') return normalizeHyphens(state, found)
  if (first === '*' || first === '_') return normalizeEmphasis(state, found)
  replaceNext(state, { by: replacementFor(first, found), length: found.length })
}

function replacementFor(first: string, found: string): string {
  if (/[\u2012-\u2015\u2212]/.test(first)) return '-'
  if (/[\u2018-\u201b\u2032\u2039\u203a\u02bc\u00b4]/.test(first)) return "'"
  if (/[\u201c-\u201f\u2033\u00ab\u00bb\u300c-\u300f]/.test(first)) return '"'
  if (first === '\u2026') return '...'
  if (/[\ufb00-\ufb17\uff01-\uff5e]/.test(first)) return found.normalize('NFKC')
  return /[\\`~![\]]/.test(first) ? '' : found.normalize('NFC')
}

/** Replaces the next `length` units of the original; `broken`: a word may end here though letters follow. */
function replaceNext(
  state: NormalizerState,
  { by: text, length, broken: wordBreak = false }: { by: string; length: number; broken?: boolean },
): void {
  const { raw, at } = state
  // Where a mark is left out between spaces, one of them goes too.
  const end = text === '' && isBlank(state.tail) ? endOfSpace(raw, at + length) : at + length
  state.offsets.add({
    normalStart: state.length,
    normalLength: text.length,
    originalStart: at,
    originalLength: end - at,
    wordBreak,
  })
  append(state, text)
  state.at = end
}

function isBlank(tail: string): boolean {
  return tail === '' || tail.endsWith(' ')
}

/** White space with the marks of the lines and cells that it leads to. */
function normalizeSpace(state: NormalizerState, found: string): void {
  const { raw, at, tail } = state
  const end = endOfSpace(raw, at)
  const invisible = end === at + found.length && !/\s/.test(found)
  const between = endsUnspaced(tail) && startsUnspaced(raw, end)
  replaceNext(state, { by: invisible || between || isBlank(tail) ? '' : ' ', length: end - at })
}

/** Where white space ends, with the marks of lines and cells inside it. */
function endOfSpace(raw: string, from: number): number {
  let end = from
  for (;;) {
    const space = endOf(spacePattern, raw, end)
    if (space === end) return end
    const marked = canStartMark(raw.charCodeAt(space))
    if (!marked) return space
    end = endOf(lineEndPattern.test(raw.slice(end, space)) ? lineMarkPattern : cellMarkPattern, raw, space)
  }
}

/** Letters begin no mark of a line. */
function canStartMark(unit: number): boolean {
  return unit < 0x41 || (unit > 0x5a && unit < 0x61) || unit > 0x7a
}

function endOf(pattern: RegExp, raw: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(raw) ? pattern.lastIndex : from
}

/** A hyphen inside a word goes, with the end of the line behind it; two or more are a dash. */
function normalizeHyphens(state: NormalizerState, found: string): void {
  const { raw, at, tail } = state
  const after = at + found.length
  if (found.length > 1 || !endsWithLetter(tail)) return replaceNext(state, { by: '-', length: found.length })
  if (isLetterAt(raw, after)) return replaceNext(state, { by: '', length: 1, broken: true })
  const acrossLines = lineEndPattern.test(raw.slice(after, endOf(spacePattern, raw, after)))
  const end = acrossLines ? endOfSpace(raw, after) : after
  if (!isLetterAt(raw, endOf(emphasisPattern, raw, end))) return replaceNext(state, { by: '-', length: 1 })
  replaceNext(state, { by: '', length: end - at, broken: !acrossLines })
}

/** Stars and underscores go where they may be emphasis: not between blanks, nor a single star or any line inside a word. */
function normalizeEmphasis(state: NormalizerState, found: string): void {
  const before = state.tail.slice(-1)
  const after = state.raw.charAt(state.at + found.length)
  const inWord = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)
  const isolated = before.trim() === '' && after.trim() === ''
  const stays = inWord ? found.length === 1 || found.startsWith('_') : isolated && found.length === 1
  replaceNext(state, { by: stays ? found : '', length: found.length })
}
