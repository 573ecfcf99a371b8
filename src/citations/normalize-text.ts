import { beginsUnspaced, endsUnspaced, endsWithLetter, isLetterAt, unspacedClass } from './characters.ts'
import { createPieces, type Pieces } from './offset-map.ts'

/** A text without what may differ between a page and an honest quotation of it, and the way back to the original. */
export interface NormalText {
  text: string
  pieces: Pieces
}

/** What is written differently in the normal form, beside text whose marks are not composed (NFC). */
const always = [
  // A single space stays as it is, unless a table or a script without spaces follows.
  String.raw`[^\S ][\s\p{Cf}]*|\p{Cf}[\s\p{Cf}]*| (?:[\s\p{Cf}]+|(?=[|${unspacedClass}]))`,
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
const composed = new RegExp(always, 'gu')
const decomposed = new RegExp(
  String.raw`${always}|[^\p{M}\s]\p{M}+|[\u1100-\u11ff]+|[\u2126\u212a\u212b\uf900-\ufaff]`,
  'gu',
)

/** Marks at the beginning of a line: quotations, headings, list items, cells and rules of tables, fences of code. */
const lineMarks =
  /(?:(?:>+|#{1,6}(?=\s)|[-*+\u2022](?=\s)|\||:?-+:?(?=[ \t]*\|)|-{3,}(?=\s|$)|={3,}|`{3,}[^\n]*|~{3,}[^\n]*)[\s\p{Cf}]*)+/uy
const cellMark = /\|(?=\s|$)/uy
const gap = /[\s\p{Cf}]+/uy
const emphasis = /[*_~`\\]+/uy
const lineEnd = /[\n\r\u2028\u2029]/

/**
 * The normal form in which quotations are compared. White space is one space, also where a word is hyphenated across
 * lines; typographic quotes, dashes, dots, ligatures and full-width letters are plain ones; accents are composed (NFC);
 * soft hyphens, hyphens inside words, invisible characters and Markdown's marks are left out. Case, words and numbers
 * stay. Linear in the text.
 */
export function normalText(raw: string): NormalText {
  const form: Form = { raw, parts: [], length: 0, tail: '', at: 0, pieces: createPieces() }
  const margin = endOf(lineMarks, raw, 0)
  if (margin > 0) put(form, { by: '', length: margin })
  const changes = raw.normalize('NFC') === raw ? composed : decomposed
  for (const { 0: found, index } of raw.matchAll(changes)) {
    // What a longer change before it has taken already.
    if (index < form.at) continue
    append(form, raw.slice(form.at, index))
    form.at = index
    change(form, found)
  }
  append(form, raw.slice(form.at))
  return { text: form.parts.join('').trimEnd(), pieces: form.pieces }
}

interface Form {
  raw: string
  parts: string[]
  /** Of all parts. */
  length: number
  /** The last units of the parts. */
  tail: string
  /** How far the original is taken over. */
  at: number
  pieces: Pieces
}

function append(form: Form, text: string): void {
  if (text === '') return
  form.parts.push(text)
  form.length += text.length
  form.tail = text.length < 4 ? (form.tail + text).slice(-4) : text.slice(-4)
}

function change(form: Form, found: string): void {
  const [first] = found as unknown as [string]
  if (/[\s\p{Cf}]/u.test(first)) return takeSpace(form, found)
  if (first === '-' || first === '\u2010' || first === '\u2011') return takeHyphens(form, found)
  if (first === '*' || first === '_') return takeEmphasis(form, found)
  put(form, { by: replacement(first, found), length: found.length })
}

function replacement(first: string, found: string): string {
  if (/[\u2012-\u2015\u2212]/.test(first)) return '-'
  if (/[\u2018-\u201b\u2032\u2039\u203a\u02bc\u00b4]/.test(first)) return "'"
  if (/[\u201c-\u201f\u2033\u00ab\u00bb\u300c-\u300f]/.test(first)) return '"'
  if (first === '\u2026') return '...'
  if (/[\ufb00-\ufb17\uff01-\uff5e]/.test(first)) return found.normalize('NFKC')
  return /[\\`~![\]]/.test(first) ? '' : found.normalize('NFC')
}

/** Replaces the next `length` units of the original; `broken`: a word may end here though letters follow. */
function put(form: Form, { by, length, broken = false }: { by: string; length: number; broken?: boolean }): void {
  const { raw, at } = form
  // Where a mark is left out between spaces, one of them goes too.
  const end = by === '' && isBlank(form.tail) ? endOfSpace(raw, at + length) : at + length
  form.pieces.add({ out: form.length, outLength: by.length, raw: at, rawLength: end - at, broken })
  append(form, by)
  form.at = end
}

function isBlank(tail: string): boolean {
  return tail === '' || tail.endsWith(' ')
}

/** White space with the marks of the lines and cells that it leads to. */
function takeSpace(form: Form, found: string): void {
  const { raw, at, tail } = form
  const end = endOfSpace(raw, at)
  const invisible = end === at + found.length && !/\s/.test(found)
  const between = endsUnspaced(tail) && beginsUnspaced(raw, end)
  put(form, { by: invisible || between || isBlank(tail) ? '' : ' ', length: end - at })
}

/** Where white space ends, with the marks of lines and cells inside it. */
function endOfSpace(raw: string, from: number): number {
  let end = from
  for (;;) {
    const space = endOf(gap, raw, end)
    if (space === end) return end
    const marked = mayBeMark(raw.charCodeAt(space))
    if (!marked) return space
    end = endOf(lineEnd.test(raw.slice(end, space)) ? lineMarks : cellMark, raw, space)
  }
}

/** Letters begin no mark of a line. */
function mayBeMark(unit: number): boolean {
  return unit < 0x41 || (unit > 0x5a && unit < 0x61) || unit > 0x7a
}

function endOf(pattern: RegExp, raw: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(raw) ? pattern.lastIndex : from
}

/** A hyphen inside a word goes, with the end of the line behind it; two or more are a dash. */
function takeHyphens(form: Form, found: string): void {
  const { raw, at, tail } = form
  const behind = at + found.length
  if (found.length > 1 || !endsWithLetter(tail)) return put(form, { by: '-', length: found.length })
  if (isLetterAt(raw, behind)) return put(form, { by: '', length: 1, broken: true })
  const broken = lineEnd.test(raw.slice(behind, endOf(gap, raw, behind)))
  const end = broken ? endOfSpace(raw, behind) : behind
  if (!isLetterAt(raw, endOf(emphasis, raw, end))) return put(form, { by: '-', length: 1 })
  put(form, { by: '', length: end - at, broken: !broken })
}

/** Stars and underscores go where they may be emphasis: not between blanks, nor a single star or any line inside a word. */
function takeEmphasis(form: Form, found: string): void {
  const before = form.tail.slice(-1)
  const after = form.raw.charAt(form.at + found.length)
  const inWord = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)
  const alone = before.trim() === '' && after.trim() === ''
  const stays = inWord ? found.length === 1 || found.startsWith('_') : alone && found.length === 1
  put(form, { by: stays ? found : '', length: found.length })
}
