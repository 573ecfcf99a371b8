/** Rules for the start of a Markdown line (CommonMark 0.31, section 4); each examines `text` between two offsets. */

export interface Fence {
  /** Character code of a backtick or a tilde. */
  mark: number
  length: number
  /** True if only blanks follow, so that it can close a block. */
  bare: boolean
  /** True if it can open a block: the info string of a backtick fence contains no backtick. */
  opens: boolean
}

/** The code fence at `at`, or null. */
export function fenceAt(text: string, at: number, end: number): Fence | null {
  const mark = text.charCodeAt(at)
  if (mark !== 96 && mark !== 126) return null
  const after = runEnd(text, at, end)
  if (after - at < 3) return null
  const opens = mark === 126 || !text.slice(after, end).includes('`')
  return { mark, length: after - at, bare: skipBlanks(text, after, end) === end, opens }
}

/** The ATX heading at `at` with its level and the range of its text, or null. */
export function headingAt(text: string, at: number, end: number): { level: number; from: number; to: number } | null {
  const after = runEnd(text, at, end)
  const level = after - at
  if (level > 6 || (after < end && !isBlank(text.charCodeAt(after)))) return null
  const from = skipBlanks(text, after, end)
  let to = trimEnd(text, from, end)
  let hashes = to
  while (hashes > from && text.charCodeAt(hashes - 1) === 35) hashes--
  if (hashes < to && (hashes === from || isBlank(text.charCodeAt(hashes - 1)))) to = trimEnd(text, from, hashes)
  return { level, from, to }
}

/** 1 for a line of `=`, 2 for a line of `-`, otherwise 0. */
export function setextAt(text: string, at: number, end: number): 0 | 1 | 2 {
  const mark = text.charCodeAt(at)
  if (mark !== 61 && mark !== 45) return 0
  if (skipBlanks(text, runEnd(text, at, end), end) !== end) return 0
  return mark === 61 ? 1 : 2
}

/**
 * Detects a thematic break: three or more of one of `*`, `-`, `_`, with only blanks between and after. Returns `end`;
 * otherwise the offset of the mismatch, before which no thematic break can begin either.
 */
export function thematicBreakEnd(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at)
  if (mark !== 42 && mark !== 45 && mark !== 95) return at
  let count = 0
  for (let index = at; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code === mark) count++
    else if (!isBlank(code)) return index
  }
  return count >= 3 ? end : end - 1
}

export interface ListMarker {
  length: number
  /** True if nothing follows on the line. */
  empty: boolean
  /** True if the item may interrupt a paragraph: a bullet, or the number 1. */
  interrupts: boolean
}

/**
 * The list marker at `at`, or null: a bullet (`-`, `+`, `*`) or a number with `.` or `)`, followed by a blank or the
 * end of the line.
 */
export function listMarkerAt(text: string, at: number, end: number): ListMarker | null {
  const first = text.charCodeAt(at)
  let after = at
  if (first === 42 || first === 43 || first === 45) after = at + 1
  else {
    while (after < end && after - at < 10 && isDigit(text.charCodeAt(after))) after++
    const delimiter = after < end ? text.charCodeAt(after) : 0
    if (after === at || after - at > 9 || (delimiter !== 46 && delimiter !== 41)) return null
    after++
  }
  if (after < end && !isBlank(text.charCodeAt(after))) return null
  const interrupts = !isDigit(first) || (after - at === 2 && first === 49)
  return { length: after - at, empty: skipBlanks(text, after, end) === end, interrupts }
}

/** An open HTML block: ends at the line that `end` matches, or at a blank line if `end` is null. */
export interface HtmlBlock {
  end: RegExp | null
}

const htmlBlockPatterns: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
]
const blockTags =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|' +
  'main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|' +
  'title|tr|track|ul'
const blockTag = new RegExp(`^</?(?:${blockTags})(?:\\s|/?>|$)`, 'i')
const attribute = `\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`
const wholeTag = new RegExp(`^(?:<[a-z][a-z0-9-]*(?:${attribute})*\\s*/?>|</[a-z][a-z0-9-]*\\s*>)\\s*$`, 'i')

/** The HTML block opened by a line that begins with `<`; `closed` if it ends on that line; otherwise null. */
export function htmlBlockAt(line: string, insideParagraph: boolean): HtmlBlock | 'closed' | null {
  for (const [start, end] of htmlBlockPatterns) {
    if (start.test(line)) return end.test(line) ? 'closed' : { end }
  }
  if (blockTag.test(line) || (!insideParagraph && wholeTag.test(line))) return { end: null }
  return null
}

const definitionPattern =
  /^[ \t]*\[(?:[^[\]\\]|\\.){1,999}\]:\s*(?:<[^<>\n]*>|[^\s<]\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*(?:\r\n?|\n|$)/
const maxDefinitionLength = 4096

/** The offset after the link reference definitions at the start of a paragraph (CommonMark 0.31, section 4.7). */
export function definitionsEnd(text: string, from: number, end: number): number {
  let at = from
  for (;;) {
    const found = definitionPattern.exec(text.slice(at, Math.min(end, at + maxDefinitionLength)))
    if (found === null) return at
    at += found[0].length
  }
}

/** The offset after the run of characters equal to the one at `at`. */
function runEnd(text: string, at: number, end: number): number {
  const mark = text.charCodeAt(at)
  let after = at + 1
  while (after < end && text.charCodeAt(after) === mark) after++
  return after
}

function skipBlanks(text: string, at: number, end: number): number {
  let index = at
  while (index < end && isBlank(text.charCodeAt(index))) index++
  return index
}

function trimEnd(text: string, from: number, end: number): number {
  let to = end
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return to
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
