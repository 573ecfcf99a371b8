import { finishSteps } from '../runtime/turns.ts'

/** A page without its markup. */
export interface PlainText {
  /** In NFC; one line per Markdown line with text. */
  text: string
  /** Ranges of headings in `text`, ascending. */
  headings: [start: number, end: number][]
}

const fencePattern = /^ {0,3}(`{3,}|~{3,})/
const headingPattern = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$/
/** Table borders, horizontal rules and underlines of headings. */
const rulePattern = /^[ \t|:+=_*-]*$/
const lineStartPattern = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\|))+[ \t]*/

/** Removes Markdown marks: the result is what a reader sees. Code keeps its text. */
export function stripMarkdown(markdown: string): PlainText {
  return finishSteps(stripMarkdownInSteps(markdown))
}

/** UTF-16 units between two steps; a line is one step at most. */
const lengthPerStep = 8000

/** The same, yielding every few thousand characters, so that a long page need not hold the event loop. */
export function* stripMarkdownInSteps(markdown: string): Generator<void, PlainText> {
  const lines: string[] = []
  const headings: PlainText['headings'] = []
  let length = 0
  let fence: string | null = null
  let stepLength = 0
  for (const line of markdown.normalize('NFC').split(/\r\n?|\n/)) {
    stepLength += line.length
    if (stepLength >= lengthPerStep) {
      yield
      stepLength = 0
    }
    const mark = fencePattern.exec(line)?.[1]
    if (mark !== undefined && (fence === null || closesFence(fence, mark, line))) {
      fence = fence === null ? mark : null
      continue
    }
    const title = fence === null ? headingPattern.exec(line)?.[1] : undefined
    const text = fence === null ? stripLine(title ?? line) : line.trimEnd()
    if (text === '') continue
    if (title !== undefined) headings.push([length, length + text.length])
    lines.push(text)
    length += text.length + 1
  }
  return { text: lines.join('\n'), headings }
}

function closesFence(fence: string, mark: string, line: string): boolean {
  return mark.startsWith(fence) && line.trim() === mark
}

const markPattern = /[`*_~\\[\]<>&|]/

/** Bounded, like every pattern that could look far ahead: hostile text must take linear time. */
const codeSpanPattern = /(?<!`)(`{1,8})(?!`)(.{1,1000}?)(?<!`)\1(?!`)/

function stripLine(line: string): string {
  if (rulePattern.test(line)) return ''
  const text = line.replace(lineStartPattern, '').trim()
  if (!markPattern.test(text)) return text
  return (
    text
      .split(codeSpanPattern)
      // Per code span, the split yields its ticks and its text.
      .map((piece, at) => (at % 3 === 0 ? stripInline(piece) : at % 3 === 1 ? '' : piece))
      .join('')
      .replaceAll(/\s{2,}/g, ' ')
      .trim()
  )
}

const tagPattern =
  /<\/?(?:a|abbr|b|blockquote|br|caption|center|cite|code|del|details|div|em|figure|figcaption|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]*)?\/?>/gi
const linkPattern =
  /!?\[((?:[^[\]\\]|\\.)*)\](?:\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s+["'(][^"')]*["')])?\)|\[[^[\]]*\])/g
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
/** Private-use offset for escaped characters while marks are removed. */
const escapedBase = 0xe000

function stripInline(piece: string): string {
  return piece
    .replaceAll(/\\([!-/:-@[-`{-~])/g, (_, mark: string) => String.fromCharCode(escapedBase + mark.charCodeAt(0)))
    .replaceAll(/<!--.{0,1000}?-->/g, ' ')
    .replaceAll(linkPattern, '$1')
    .replaceAll(linkPattern, '$1')
    .replaceAll(/<((?:https?|mailto|ftp):[^<>\s]+)>/g, '$1')
    .replaceAll(tagPattern, ' ')
    .replaceAll(
      /\*{2,}|~~|(?<!\s)\*(?=\s|$|\p{P})|(?<=^|\s|\p{P})\*(?=\S)|(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu,
      '',
    )
    .replaceAll(/ *\| */g, '  ')
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => entities[name] as string)
    .replaceAll(/[\ue021-\ue07e]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - escapedBase))
}
