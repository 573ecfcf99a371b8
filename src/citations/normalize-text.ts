import { finishSteps } from '../runtime/turns.ts'
import { markupPatterns, readMarkup } from './markup.ts'
import { startsUnspaced, endsUnspaced, endsWithLetter, isLetterAt, unspacedScripts } from './characters.ts'
import { compatibilityForms, foldLetter, foldLetters, foldSuperscripts, omittedMarks } from './fold-letters.ts'
import { superscripts, sameLengthFolds } from './fold-letters.ts'
import { createOffsetMap, type OffsetMap } from './offset-map.ts'

/** A text in normal form, with a map of offsets back to the original. */
export interface NormalizedText {
  text: string
  offsets: OffsetMap
}

/** The signs of list items. For use inside a character class. */
const bullets = String.raw`\u2022\u2023\u25a0\u25a1\u25aa\u25b6\u25b8\u25ba\u25cb\u25cf\u25e6\u27a2`
const inlineItem = new RegExp(String.raw`^[-\u2013\u2014${bullets}]\s$`, 'u')

/** Patterns of the text that the normal form replaces, except letters with separate combining accents. */
const commonReplacements = [
  // A single space stays, unless a table cell mark or a script without spaces follows.
  String.raw`[^\S ][\s\p{Cf}]*|\p{Cf}[\s\p{Cf}]*| (?:[\s\p{Cf}]+|(?=\\?\||[${unspacedScripts}]))`,
  // Dot leaders and ellipses: any number of dots with or without spaces between them, also across a line end.
  String.raw`[.\u00b7\u2026](?:[ \n]?[.\u00b7\u2026]){2,}`,
  // Signs of list items inside a line. A dash is one only after the end of a clause.
  String.raw`[${bullets}](?<=[\s[].)\s|[-\u2013\u2014](?<=[.,;:!?\u2026]\s.)\s(?=\p{L}{2})`,
  String.raw`[-\u2010\u2011]+`,
  String.raw`[\u2012-\u2015\u2212]`,
  String.raw`['\u2018-\u201b]{2}(?!')|[\u2018-\u201b\u2032\u2039\u203a\u02bc\u00b4]`,
  String.raw`[\u201c-\u201f\u2033\u00ab\u00bb\u300c-\u300f]`,
  String.raw`\u2026`,
  // The angle brackets around an address, and the dollar signs around a formula.
  String.raw`<(?=(?:https?|mailto):[^\s<>]{1,2000}>)|>(?<=<(?:https?|mailto):[^\s<>]{1,2000}>)`,
  String.raw`\${2}|\$(?!(?<=\x60\$)\x60)(?=[^\s$\d](?:[^$\n]{0,999}[^\s$\\])?\$(?!\d))|\$(?<=\$[^\s$\d](?:[^$\n]{0,999}[^\s$\\])?\$)(?!\d|(?<=\x60\$)\x60)`,
  `[${compatibilityForms}]`,
  `[${sameLengthFolds}]`,
  `[${omittedMarks}]+`,
  superscripts,
  String.raw`(?<=[\u2020\u2021\u00b6\u2217])\s+(?=\p{L})`,
  String.raw`(?<=\p{L})[\u00b8\u02c6\u02c7\u02d8-\u02dd\u00a8]\p{L}?`,
  String.raw`\\+(?=[!-\/:-@[-\x60{-~])`,
  String.raw`\*+|_+|~~+|\x60+`,
  // The marker of a figure is not text of the page. Its caption is also in the page as text.
  String.raw`!\[(?:[^[\]\\\n]|\\[^\n]){0,1000}\]\(figure:[0-9a-f]{16}\)`,
  // A link keeps its text and loses its brackets and address. So does text that looks like a link and is escaped, because a
  // quotation of it is not. The lengths are limited, so that hostile text takes linear time.
  String.raw`!?\[(?=[^[\]\n]{0,500}\]\\?\()`,
  String.raw`\]\\?\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s+"[^"\n]{0,200}")?\)`,
  ...markupPatterns,
].join('|')
const composedPattern = new RegExp(commonReplacements, 'gu')
const decomposedPattern = new RegExp(
  String.raw`\p{L}\p{M}+|${commonReplacements}|[^\p{M}\s]\p{M}+|[\u1100-\u11ff]+|[\u2126\u212a\u212b\uf900-\ufaff]`,
  'gu',
)

/** Marks at the start of a line: quotations, headings, list items, table cells and rules, code fences. */
const lineMarkPattern =
  /(?:(?:>+|#{1,6}(?=\s)|[-*+\u00b7\u2013\u2014\u2022\u2023\u25a0\u25a1\u25aa\u25b6\u25b8\u25ba\u25cb\u25cf\u25e6\u2713\u27a2](?=\s)|\||:?-+:?(?=[ \t]*\|)|-{3,}(?=\s|$)|={3,}|`{3,}[^\n]*|~{3,}[^\n]*)[\s\p{Cf}]*)+/uy
/** The end of a table cell. A pipe in the text of a cell is escaped in the file, but readers see a plain pipe. */
const cellMarkPattern = /\\?\|(?=\s|$)/uy
const spacePattern = /[\s\p{Cf}]+/uy
const emphasisPattern = /[*_~`\\]+/uy
/** The same, limited, so that hostile text takes linear time. */
const nextMarksPattern = /[*_~`\\]{1,16}/uy
const lineEndPattern = /[\n\r\u2028\u2029]/

/**
 * Returns the normal form in which quotations are compared. White space becomes one space, or nothing where a hyphen splits a word across
 * lines. Typographic quotes, dashes, dots, ligatures and full-width letters become plain ones. Accents are composed (NFC). Arabic
 * presentation forms become letters without vowel signs, letters that Arabic and Persian write differently become the same, and digits of
 * other scripts plain.
 * Raised digits after a word become plain digits. Soft hyphens, hyphens inside words, invisible characters and Markdown marks are removed.
 * Case, words and numbers stay. Takes time linear in the length of the text.
 */
export function normalizeText(raw: string): NormalizedText {
  return finishSteps(normalizeInSteps(raw))
}

/** The number of replaced pieces between two steps. */
const piecesPerStep = 512

/** Like `normalizeText`, but yields every few hundred replaced pieces, so that a long page does not block the event loop. */
export function* normalizeInSteps(raw: string): Generator<void, NormalizedText> {
  let pieces = 0
  const state: NormalizerState = { raw, parts: [], length: 0, tail: '', at: 0, offsets: createOffsetMap() }
  const margin = endOf(lineMarkPattern, raw, 0)
  if (margin > 0) replaceNext(state, { text: '', length: margin })
  const pattern = raw.normalize('NFC') === raw ? composedPattern : decomposedPattern
  for (const { 0: found, index } of raw.matchAll(pattern)) {
    if (++pieces % piecesPerStep === 0) yield
    // A longer replacement has already covered this piece.
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
  /** Total length of the parts. */
  length: number
  /** The last UTF-16 units of the parts, up to 4. */
  tail: string
  /** The offset in the original up to which the text is normalized. */
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
  if (inlineItem.test(found)) return replaceNext(state, { text: '', length: found.length })
  if (first === '-' || first === '\u2010' || first === '\u2011') return normalizeHyphens(state, found)
  if (first === '*' || first === '_') return normalizeEmphasis(state, found)
  const markup = readMarkup(found)
  if (markup === null) return normalizeGap(state, found)
  if (markup !== undefined) return replaceNext(state, { text: markup, length: found.length })
  if (sameLength.test(found)) {
    append(state, foldLetter(found))
    state.at += found.length
    return
  }
  if (superscriptPattern.test(found))
    return replaceNext(state, { text: foldSuperscripts(found, state.tail), length: found.length })
  if (spacingAccent.test(found)) return normalizeAccent(state, found)
  replaceNext(state, { text: replacementFor(found, state.raw.charAt(state.at + found.length)), length: found.length })
}

const sameLength = new RegExp(`^[${sameLengthFolds}]$`, 'u')
const compatibility = new RegExp(`^[${compatibilityForms}]`, 'u')
const superscriptPattern = /^(?:[⁰¹²³⁴-⁹₀-₉^]|\[\^)/
const spacingAccent = /^[\u00b8\u02c6\u02c7\u02d8-\u02dd\u00a8]/
const combiningMarks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\u00b8': '\u0327',
    '\u02c6': '\u0302',
    '\u02c7': '\u030c',
    '\u02d8': '\u0306',
    '\u02d9': '\u0307',
    '\u02da': '\u030a',
    '\u02db': '\u0328',
    '\u02dc': '\u0303',
    '\u02dd': '\u030b',
    '\u00a8': '\u0308',
  }),
)

/** Combines an accent that is stored before its letter, as in some files, with the letter. Other accents stay. */
function normalizeAccent(state: NormalizerState, found: string): void {
  const [accent = '', letter = ''] = found
  const base = letter === 'ı' ? 'i' : letter
  const composed = (base + (combiningMarks.get(accent) ?? '')).normalize('NFC')
  const isLetter = base !== '' && composed.length === 1
  replaceNext(state, { text: isLetter ? composed : accent, length: isLetter ? found.length : accent.length })
}

function replacementFor(found: string, next: string): string {
  const [first] = found as unknown as [string]
  if (found.length > 2 && /[.\u00b7\u2026]/.test(first)) return '...'
  if (/[!<>$]/.test(first)) return ''
  if (/[\u2012-\u2015\u2212]/.test(first)) return '-'
  if (/['\u2018-\u201b\u2032\u2039\u203a\u02bc\u00b4]/.test(first)) return found.length > 1 ? '"' : "'"
  if (/[\u201c-\u201f\u2033\u00ab\u00bb\u300c-\u300f]/.test(first)) return '"'
  if (first === '\u2026') return '...'
  // An escaped backslash before code stays one backslash. Other backslashes before signs only escape them and are removed.
  if (first === '\\') return found.length % 2 === 0 && next === '\x60' ? first : ''
  if (compatibility.test(found)) return foldLetters(found, 'NFKC')
  return /[`~![\]]/.test(first) ? '' : foldLetters(found, 'NFC')
}

function isLetterOrDigit(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}

/** Replaces the next `length` units of the original by `text`. `wordBreak`: a word may end here although letters follow. */
function replaceNext(
  state: NormalizerState,
  { text, length, wordBreak = false }: { text: string; length: number; wordBreak?: boolean },
): void {
  const { raw, at } = state
  // A mark between two spaces is removed together with one of the spaces.
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

/** Replaces white space, including the line and cell marks in it. */
function normalizeSpace(state: NormalizerState, found: string): void {
  const { raw, at, tail } = state
  const end = endOfSpace(raw, at)
  const invisible = end === at + found.length && !/\s/.test(found)
  const between = endsUnspaced(tail) && startsUnspaced(raw, end)
  // Files differ in whether a space follows the sign of a note.
  const afterReferenceMark = /[\u2020\u2021\u00b6\u2217]$/.test(tail) && isLetterAt(raw, end)
  replaceNext(state, { text: invisible || between || afterReferenceMark || isBlank(tail) ? '' : ' ', length: end - at })
}

/** Returns the end of white space, including the line and cell marks in it. */
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

/** No line mark starts with a letter. */
function canStartMark(unit: number): boolean {
  return unit < 0x41 || (unit > 0x5a && unit < 0x61) || unit > 0x7a
}

function endOf(pattern: RegExp, raw: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(raw) ? pattern.lastIndex : from
}

/** Replaces markup that separates words, and the white space after it, by one space. */
function normalizeGap(state: NormalizerState, { length }: string): void {
  const end = endOfSpace(state.raw, state.at + length)
  replaceNext(state, { text: isBlank(state.tail) ? '' : ' ', length: end - state.at })
}

/** Removes a hyphen inside a word, and a line end after it. Two or more hyphens are a dash. */
function normalizeHyphens(state: NormalizerState, found: string): void {
  const { raw, at, tail } = state
  const after = at + found.length
  if (found.length > 1 || !endsWithLetter(tail)) return replaceNext(state, { text: '-', length: found.length })
  if (isLetterAt(raw, after)) return replaceNext(state, { text: '', length: 1, wordBreak: true })
  const acrossLines = lineEndPattern.test(raw.slice(after, endOf(spacePattern, raw, after)))
  const end = acrossLines ? endOfSpace(raw, after) : after
  if (!isLetterAt(raw, endOf(emphasisPattern, raw, end))) return replaceNext(state, { text: '-', length: 1 })
  replaceNext(state, { text: '', length: end - at, wordBreak: !acrossLines })
}

/**
 * Removes stars and underscores that may be emphasis. Keeps a single one between blanks, a single star between letters, and underscores
 * inside a word, of which a part may be emphasised: `**dh**\_*clean*` is `dh_clean`.
 */
function normalizeEmphasis(state: NormalizerState, found: string): void {
  const { raw, at, tail } = state
  const [before, next] = [tail.slice(-1), at + found.length]
  const after = raw.charAt(next)
  const isolated = found.length === 1 && before.trim() === '' && after.trim() === ''
  const inWord = found.startsWith('_')
    ? isLetterOrDigit(before) && isLetterOrDigit(raw.charAt(endOf(nextMarksPattern, raw, next)))
    : found.length === 1 && isLetterOrDigit(before) && isLetterOrDigit(after) && !/[_`]/.test(raw.charAt(at - 1))
  const isKept = inWord || isolated
  replaceNext(state, { text: isKept ? found : '', length: found.length })
}
