import { codeSpan } from '../../../text/markdown/code-span.ts'
import { escapeAfter } from './escape.ts'

/*
 * Delimiters of emphasis and code, as placeholders while a paragraph is collected. Only its end shows which of them
 * Markdown would recognise (CommonMark 0.31, sections 6.1 and 6.2). The placeholders have the length of the delimiters.
 * They are control characters, which the text does not contain, of one byte, so that a paragraph takes no more memory.
 */

/** The placeholders of the delimiters that open and close an element, by delimiter. */
export const placeholders: ReadonlyMap<string, readonly [open: string, close: string]> = new Map([
  ['*', ['\u0091', '\u0092']],
  ['**', ['\u0093\u0093', '\u0094\u0094']],
])
/** The placeholders around code. */
export const [codeStart, codeEnd] = ['\u0095', '\u0096'] as const

const anyPlaceholder = /[\u0091-\u0096]/
const adjacentCode = /\u0096\u0095/g
const anyCode = /\u0095([^\u0096]*)\u0096/g
const emphasis = /\u0091|\u0092|\u0093\u0093|\u0094\u0094/g
const emphasisRun = /[\u0091-\u0094]+/g
const letter = /^\p{L}\p{M}*$/u

/**
 * Replaces the placeholders in a paragraph by delimiters. Adjacent code becomes one. A delimiter that Markdown would
 * show as asterisks moves past the punctuation beside it, or is removed with the one that belongs to it.
 */
export function writeDelimiters(text: string): string {
  if (!anyPlaceholder.test(text)) return text
  const emphasised = writeEmphasis(text)
  if (!emphasised.includes(codeStart)) return emphasised
  const joined = emphasised.replace(adjacentCode, '')
  return joined.replace(anyCode, (found, source: string, at: number) => {
    if (!isBorrowed(source)) return codeSpan(source)
    const isWithinWord = letter.test(joined[at - 1] ?? '') && letter.test(joined[at + found.length] ?? '')
    return isWithinWord ? source : codeSpan(source)
  })
}

/** True for a letter that is in a typewriter font only because the font of its word lacks it. */
function isBorrowed(source: string): boolean {
  return source.length <= 3 && letter.test(source) && !/^[a-z]/i.test(source)
}

function writeEmphasis(text: string): string {
  let isDoubtful = false
  const written = text.replace(emphasisRun, (run, at: number) => {
    isDoubtful ||= run.length > 2 || isDoubtfulRun(text, at, at + run.length)
    return run.length === 1 ? '*' : '**'
  })
  return isDoubtful ? writeDoubtfulEmphasis(text) : written
}

/** A fast first check, because nearly all delimiters are beside a space on one side: true if Markdown may not recognise the delimiter. */
function isDoubtfulRun(text: string, start: number, end: number): boolean {
  const opens = isOpening(text[start])
  if (text[start] !== text[end - 1]) return true
  const [before, after] = [kindOf(text.charCodeAt(start - 1)), kindOf(text.charCodeAt(end))]
  if ((opens ? after : before) === 'space') return true
  return before !== 'space' && after !== 'space' && (before !== after || before === 'other')
}

function isOpening(character: string | undefined): boolean {
  return character === '\u0091' || character === '\u0093'
}

/** The kind of a character by its UTF-16 code; NaN: the end of the text. */
function kindOf(unit: number): 'space' | 'letter' | 'punctuation' | 'other' {
  if (!(unit > 32)) return 'space'
  if (unit >= 0x80 && unit <= 0x98) return 'punctuation'
  if (unit > 127) return 'other'
  const isLetter = (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)
  return isLetter ? 'letter' : 'punctuation'
}

/** A delimiter of emphasis. */
interface Delimiter {
  opens: boolean
  written: '*' | '**'
  /** The index of the delimiter that belongs to it; -1: none. */
  partner: number
  isRemoved: boolean
}

/** A paragraph as its delimiters and the texts around them: `texts[i]` is the text before delimiter `i`. */
interface Emphasised {
  delimiters: Delimiter[]
  texts: string[]
}

/** Each repair changes what is beside other delimiters, so that they are checked again, at most this often. */
const maxPasses = 8

function writeDoubtfulEmphasis(source: string): string {
  const paragraph = splitAtDelimiters(source)
  const { delimiters, texts } = paragraph
  for (let pass = 0; pass < maxPasses && repairDelimiters(paragraph); pass++);
  let text = texts[0] as string
  let last = text.at(-1) ?? ''
  for (const [at, { written, isRemoved }] of delimiters.entries()) {
    const next = texts[at + 1] as string
    text += isRemoved ? escapeAfter(last, next) : written + next
    last = next.at(-1) ?? (isRemoved ? last : '*')
  }
  return text
}

function splitAtDelimiters(source: string): Emphasised {
  const delimiters: Delimiter[] = []
  const texts: string[] = []
  const open: number[] = []
  let from = 0
  for (const { 0: found, index } of source.matchAll(emphasis)) {
    const opens = isOpening(found[0])
    const partner = opens ? -1 : (open.pop() ?? -1)
    if (partner >= 0) (delimiters[partner] as Delimiter).partner = delimiters.length
    if (opens) open.push(delimiters.length)
    delimiters.push({ opens, written: found.length === 1 ? '*' : '**', partner, isRemoved: false })
    texts.push(source.slice(from, index))
    from = index + found.length
  }
  texts.push(source.slice(from))
  return { delimiters, texts }
}

/** Moves or removes the delimiters that Markdown would not recognise. Returns true if it changed any. */
function repairDelimiters({ delimiters, texts }: Emphasised): boolean {
  const { before, after } = charactersAround(texts)
  let [changed, depth] = [false, 0]
  for (const [at, { opens, partner, isRemoved }] of delimiters.entries()) {
    if (isRemoved) continue
    const [inner, outer] = (opens ? [after[at], before[at]] : [before[at], after[at]]) as [string, string]
    const isEmpty = opens && !texts.slice(at + 1, partner + 1).some((text) => text !== '')
    // Markdown could read it as the end of the element around it.
    const isAmbiguous = opens && depth > 0 && isRecognised(outer, inner)
    depth += opens ? 1 : -1
    if (!isEmpty && !isAmbiguous && isRecognised(inner, outer)) continue
    changed = true
    if (!isEmpty && !isAmbiguous && moveEdge(texts, at, opens)) continue
    for (const index of [at, partner]) if (delimiters[index]) delimiters[index].isRemoved = true
    if (opens) depth--
  }
  return changed
}

/** The characters before and after each delimiter, beyond the delimiters beside it; empty at the ends of the paragraph. */
function charactersAround(texts: readonly string[]): { before: string[]; after: string[] } {
  const [before, after]: [string[], string[]] = [[], []]
  let character = ''
  for (let at = 0; at < texts.length - 1; at++) {
    character = lastCharacterOf(texts[at] as string) ?? character
    before[at] = character
  }
  character = ''
  for (let at = texts.length - 1; at > 0; at--) {
    character = /^./su.exec(texts[at] as string)?.[0] ?? character
    after[at - 1] = character
  }
  return { before, after }
}

function lastCharacterOf(text: string): string | undefined {
  return /[\uDC00-\uDFFF]$/.test(text.slice(-1)) ? text.slice(-2) : text.at(-1)
}

/** True if a delimiter with this character on the side of the emphasised text, and this one on the other side, is recognised. */
function isRecognised(inner: string, outer: string): boolean {
  return !isSpace(inner) && (!isPunctuation(inner) || isSpace(outer) || isPunctuation(outer))
}

function isSpace(character: string): boolean {
  return character.trim() === ''
}

/** True for punctuation as Markdown defines it, and for the placeholders of code and of links to pages. */
function isPunctuation(character: string): boolean {
  return /[\p{P}\p{S}\u0080-\u008F\u0095-\u0098]/u.test(character)
}

/** Punctuation that can be in front of or behind emphasis. Markdown gives the other characters a meaning, or they are in pairs. */
const leading = /^(?:\\?_|(?![\\*`~&<!#])[\p{Po}\p{Pd}]){1,8}(?=\S)/u
const trailing = /(?<=[^\s\\])(?:\\?_|(?![\\*`~&<!#])[\p{Po}\p{Pd}]){1,8}$/u

/** Moves white space or punctuation at an edge of the emphasised text out of it. Returns false if there is none that can be moved. */
function moveEdge(texts: string[], at: number, opens: boolean): boolean {
  const [inner, outer] = opens ? [at + 1, at] : [at, at + 1]
  const [whole, other] = [texts[inner] as string, texts[outer] as string]
  const trimmed = opens ? whole.trimStart() : whole.trimEnd()
  const spaces = whole.length - trimmed.length
  const moved = spaces > 0 ? spaces : ((opens ? leading : trailing).exec(whole)?.[0].length ?? 0)
  if (moved === 0) return false
  const edge = opens ? moved : whole.length - moved
  // Beside a delimiter, an underscore could be one too.
  const [start, end] = [whole.slice(0, edge), whole.slice(edge)]
  texts[inner] = opens ? end : start
  texts[outer] = opens ? other + escapeUnderscores(start) : escapeUnderscores(end) + other
  return true
}

function escapeUnderscores(text: string): string {
  return text.replace(/\\?_/g, '\\_')
}
