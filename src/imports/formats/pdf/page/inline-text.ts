import { countCharacters } from '../characters/count-characters.ts'
import { codeSpan } from '../../../../text/markdown/code-span.ts'
import { joinLineEnd, lineSeparator } from './hyphenation.ts'
import type { Vocabulary } from './hyphenation.ts'
import type { Line, TextPiece } from './page-parts.ts'

interface StyledSpan {
  text: string
  mono: boolean
  bold: boolean
  link?: string | undefined
}

/** Options of inline text. */
export interface InlineOptions {
  vocabulary: Vocabulary
  /** Whether to ignore bold and monospaced fonts: in a heading, and if the body text is monospaced. */
  ignoreFonts: boolean
  /** Whether links become plain text: in a heading. */
  ignoreLinks?: boolean
}

/**
 * The lines of a paragraph as one line of Markdown. Rejoins words that are hyphenated at line ends, marks code, and
 * escapes the rest. `skip` characters are dropped at the start.
 */
export function inlineText(lines: readonly Line[], options: InlineOptions, skip = 0): string {
  const spans: StyledSpan[] = []
  for (const [index, line] of lines.entries()) {
    const pieces = index === 0 && skip > 0 ? dropCharacters(line.pieces, skip) : line.pieces
    for (const [position, piece] of pieces.entries()) {
      const separator = position > 0 ? gapText(piece) : index > 0 ? joinLine(spans, piece, options.vocabulary) : ''
      appendSpan(
        spans,
        {
          text: piece.text,
          mono: piece.mono && !options.ignoreFonts,
          bold: piece.bold && !options.ignoreFonts,
          link: options.ignoreLinks === true ? undefined : piece.link,
        },
        separator,
      )
    }
  }
  return renderSpans(spans)
}

/** The text of a table cell as one line of Markdown, with its links. Fonts are ignored. */
export function cellMarkdown(cell: readonly TextPiece[], vocabulary: Vocabulary): string {
  const spans: StyledSpan[] = []
  for (const { text, link, hasSpaceBefore, startsLine } of cell) {
    const last = spans.at(-1)
    const join = last && startsLine === true ? joinLineEnd(last.text, text, vocabulary) : null
    if (last && join) last.text = last.text.slice(0, last.text.length - join.trimCharacters)
    const separator = join?.separator ?? (last && hasSpaceBefore ? ' ' : '')
    appendSpan(spans, { text, mono: false, bold: false, link }, separator)
  }
  const texts = spans.map(({ text }) => escapeText(text))
  return joinLinks(spans, texts).trim().replaceAll('|', '\\|')
}

function gapText(piece: TextPiece): string {
  if (piece.hasTabBefore) return '  '
  return piece.hasSpaceBefore ? ' ' : ''
}

/**
 * Removes a hyphen at the end of the line if the word continues on the next one, and returns the separator between the
 * lines.
 */
function joinLine(spans: readonly StyledSpan[], next: TextPiece, vocabulary: Vocabulary): string {
  const last = spans.at(-1)
  if (!last) return ''
  if (last.mono && next.mono && last.text.endsWith('_-')) last.text = last.text.slice(0, -1) // a hyphenated identifier
  if (last.mono && next.mono && /[/_.-]$/.test(last.text)) return '' // a path or an option broken at a line end
  const isOneLink = last.link !== undefined && last.link === next.link
  if (isOneLink && (last.mono && next.mono ? last.text.endsWith(':') : /^https?:$/.test(last.text))) return '' // an address
  if (last.mono || next.mono) return lineSeparator(last.text, next.text, vocabulary)
  const { trimCharacters, separator } = joinLineEnd(last.text, next.text, vocabulary)
  last.text = last.text.slice(0, last.text.length - trimCharacters)
  return separator
}

function appendSpan(spans: StyledSpan[], span: StyledSpan, separator: string): void {
  const last = spans.at(-1)
  const isOneStyle = last?.mono === span.mono && (last.bold === span.bold || (span.mono && separator === ''))
  if (last && isOneStyle && last.link === span.link) {
    last.text += separator + span.text
  } else if (last?.mono === false) {
    last.text += separator
    spans.push(span)
  } else if (last && span.mono) {
    spans.push({ text: separator, mono: false, bold: false }, span)
  } else {
    spans.push({ ...span, text: separator + span.text })
  }
}

/** The pieces of a line without its first characters, which are a list marker. */
function dropCharacters(pieces: readonly TextPiece[], characters: number): TextPiece[] {
  const [first, ...rest] = pieces
  if (!first) return []
  const text = first.text.slice(characters).trimStart()
  if (text !== '') return [{ ...first, text }, ...rest]
  const [next, ...others] = rest
  return next ? [{ ...next, hasSpaceBefore: false, hasTabBefore: false }, ...others] : []
}

function renderSpans(spans: readonly StyledSpan[]): string {
  const plain = countCharacters(spans.filter((span) => !span.mono && !span.bold))
  const text = spans.map((span, index) => {
    if (span.mono) return codeSpan(span.text)
    // Bold text at the start of a paragraph is kept, because it marks a defined term. Elsewhere it is emphasis and
    // would be noise.
    const isTerm = index === 0 && span.bold && plain > span.text.length && /\p{L}{2}/u.test(span.text)
    return isTerm ? strong(escapeText(span.text)) : escapeText(span.text)
  })
  return escapeLineStart(joinLinks(spans, text).trim(), spans[0]?.mono === true)
}

/**
 * Joins the rendered spans. Adjacent spans with the same link form one link. A link whose text is its address becomes
 * an autolink.
 */
function joinLinks(spans: readonly StyledSpan[], texts: readonly string[]): string {
  let result = ''
  for (let at = 0; at < spans.length;) {
    const link = spans[at]?.link
    const next = spans.findIndex((span, index) => index > at && span.link !== link)
    const end = next < 0 ? spans.length : next
    const text = texts.slice(at, end).join('')
    result += link === undefined ? text : renderLink(text, link)
    at = end
  }
  return result
}

/**
 * A link around the words without surrounding brackets and punctuation; the plain text if the words contain square
 * brackets.
 */
export function renderLink(text: string, link: string): string {
  const [, before = '', words = '', trailing = ''] = /^([\s[(]*)(.*?)([\s\]),.;:]*)$/su.exec(text) ?? []
  const closes = trailing.startsWith(')') && words.lastIndexOf('(') > words.lastIndexOf(')')
  const [inner, after] = closes ? [`${words})`, trailing.slice(1)] : [words, trailing]
  if (inner === '' || /[[\]]/.test(inner)) return text
  const address = inner.replace(/^`(.*)`$/, '$1').replaceAll('\\', '')
  return isAddressOf(address, link) ? `${before}<${address}>${after}` : `${before}[${inner}](${link})${after}`
}

/**
 * Whether a text is the address of the link. The engine writes hosts in lower case and adds a slash to an address
 * without a path.
 */
function isAddressOf(text: string, link: string): boolean {
  const written = text.toLowerCase()
  return !/[\s<>]/.test(text) && (written === link.toLowerCase() || `${written}/` === link.toLowerCase())
}

function strong(text: string): string {
  const end = text.trimEnd()
  return `**${end}**${text.slice(end.length)}`
}

const special = /[\\`*_<[&~]/

/** Escapes characters with a backslash, but only where Markdown would interpret them. */
export function escapeText(text: string): string {
  if (!special.test(text)) return text
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/\*(?=\S)|(?<=\S)\*/g, '\\*')
    .replace(/(?<![\p{L}\p{N}_])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}_])/gu, (run) => '\\_'.repeat(run.length))
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/(?<!\[\^\d{1,3})\](?=[([:])/g, '\\]')
    .replace(/&(?=#?\w{1,31};)/g, '\\&')
    .replace(/~(?=~)/g, '\\~')
}

/** Prevents Markdown from interpreting the start of a paragraph as a heading, list, quotation, rule or fence. */
export function escapeLineStart(text: string, isCode: boolean): string {
  if (isCode) return text
  return text
    .replace(/^(#{1,6})(?=\s|$)/, '\\$1')
    .replace(/^([-+>|=]|~~~)/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}
