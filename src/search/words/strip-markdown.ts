import { finishSteps } from '../../runtime/turns.ts'
import { frontMatterEnd } from '../../text/markdown/front-matter.ts'
import { releaseUnits, takeUnits } from '../../text/words/scan-words.ts'

/** A page without its markup. */
export interface PlainText {
  /** The text in NFC, with one line per Markdown line that contains text. */
  text: string
  /** Ranges of headings in `text`, ascending. */
  headings: [start: number, end: number][]
}

/** A self-contained part of a page. */
export interface Block {
  kind: 'heading' | 'item' | 'row' | 'code' | 'text'
  /** The range in the plain text. */
  start: number
  end: number
}

const figurePattern = /!\[(?:[^[\]\\\n]|\\.){0,1000}\]\(figure:[0-9a-f]{16}\)/g
const fencePattern = /^ {0,3}(`{3,}|~{3,})/
const headingPattern = /^ {0,3}#{1,6}[ \t]+(.*)$/
/** Table borders, horizontal rules and underlines of headings. */
const rulePattern = /^[ \t|:+=_*-]*$/
const lineStartPattern = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\|))+[ \t]*/

/** Removes Markdown marks, which leaves what a reader sees. Code keeps its text. */
export function stripMarkdown(markdown: string): PlainText {
  return finishSteps(stripMarkdownInSteps(markdown))
}

/** The number of UTF-16 units between two steps. A line is never divided. */
const lengthPerStep = 8000

/**
 * Like `stripMarkdown`, but yields every few thousand characters, so that a long page does not block the event loop. Adds the blocks of the
 * page to `blocks`: headings, list items, table rows, lines of code, values of the front matter, and paragraphs.
 */
export function* stripMarkdownInSteps(markdown: string, blocks?: Block[]): Generator<void, PlainText> {
  const lines: string[] = []
  /** True if the previous line belongs to the last block and the block may continue. */
  let continuesBlock = false
  const headings: PlainText['headings'] = []
  let length = 0
  let fence: string | null = null
  let stepLength = 0
  const source = takeUnits(withLineFeeds(markdown.normalize('NFC')))
  const frontEnd = blocks ? frontMatterEnd(source.text) : 0
  for (let from = 0; from <= source.text.length; from += 1) {
    const start = from
    let marks = 0
    for (let unit = source.units[from]; unit !== lineFeed && from < source.text.length; unit = source.units[++from])
      marks |= marksOf[unit as number] as number
    const line = source.text.slice(start, from)
    stepLength += line.length
    if (stepLength >= lengthPerStep) {
      yield
      stepLength = 0
    }
    const mark = marks & (code | emphasis) && canBeFence(line) ? fencePattern.exec(line)?.[1] : undefined
    if (mark !== undefined && (fence === null || closesFence(fence, mark, line))) {
      fence = fence === null ? mark : null
      continuesBlock = false
      continue
    }
    const title = fence === null && marks & hash ? titleOf(line) : undefined
    // The marker of a figure is not text of the page, and is not shown in passages.
    const shown = blocks && marks & bracket && line.includes('](figure:') ? line.replaceAll(figurePattern, ' ') : line
    const text = fence === null ? stripLine(title ?? shown, marks) : line.trimEnd()
    if (text === '') {
      if (continuesBlock && underlinePattern.test(line)) markHeading(blocks)
      continuesBlock = false
      continue
    }
    if (blocks && start < frontEnd) continuesBlock = addField(blocks, text, length)
    else if (blocks)
      continuesBlock = addBlock(
        blocks,
        { line, continuesBlock, marks, kind: fence !== null ? 'code' : title === undefined ? null : 'heading' },
        [length, length + text.length],
      )
    if (title !== undefined) headings.push([length, length + text.length])
    lines.push(text)
    length += text.length + 1
  }
  releaseUnits(source)
  return { text: lines.join('\n'), headings }
}

/** Returns the title of a heading, without the marks after it; undefined for any other line. */
function titleOf(line: string): string | undefined {
  const title = headingPattern.exec(line)?.[1]
  if (title === undefined) return undefined
  let end = title.length
  while (title[end - 1] === '#') end--
  while (title[end - 1] === ' ' || title[end - 1] === '\t') end--
  return title.slice(0, end)
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}

const lineFeed = 0x0a
/** Bits for the kinds of marks in a line. Each kind is only searched for in lines that contain it. */
const [code, emphasis, escape, bracket, angle, entity, bar, hash, reserved] = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const marksOf = new Uint16Array(0x10000)
for (const [marks, bit] of [
  ['`', code],
  ['*_~', emphasis],
  ['\\', escape],
  ['[]', bracket],
  ['<>', angle],
  ['&', entity],
  ['|', bar],
  ['#', hash],
] as const)
  for (const mark of marks) marksOf[mark.charCodeAt(0)] = bit

/** The underline below the text of a heading (Setext style). */
const underlinePattern = /^ {0,3}(?:=+|-+)[ \t]*$/
const itemPattern = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/
const rowPattern = /^[ \t>]*\||[^|]\|[^|]/

interface BlockLine {
  line: string
  marks: number
  continuesBlock: boolean
  /** Null: derived from the line. */
  kind: 'code' | 'heading' | null
}

/** Adds a line to the blocks. Returns true if the next line may continue its block. */
function addBlock(
  blocks: Block[],
  { line, marks, continuesBlock, kind: known }: BlockLine,
  [start, end]: [number, number],
): boolean {
  const isItem = () => !beginsWithLetter(line) && itemPattern.test(line)
  const kind = known ?? (isItem() ? 'item' : marks & bar && rowPattern.test(line) ? 'row' : 'text')
  const last = blocks.at(-1)
  if (kind === 'text' && continuesBlock && last) last.end = end
  else blocks.push({ kind, start, end })
  return kind === 'text' || kind === 'item'
}

/** A line of front matter: the name of a field with the opening quotation mark, and the value; list items have no name. */
const fieldPattern = /^((?:[A-Za-z][\w-]*:(?:[ \t]+|$))?["']?)(.*?)["']?$/

/** Adds the value of a field of the front matter, because a passage is read without knowing YAML. Returns false. */
function addField(blocks: Block[], text: string, lineStart: number): false {
  const [, name = '', value = text] = fieldPattern.exec(text) ?? []
  const start = lineStart + name.length
  if (value !== '') blocks.push({ kind: 'row', start, end: start + value.length })
  return false
}

function markHeading(blocks: Block[] | undefined): void {
  const last = blocks?.at(-1)
  if (last?.kind === 'text') last.kind = 'heading'
}

/** A faster check than the pattern for most lines. */
function canBeFence(line: string): boolean {
  return line.includes('```') || line.includes('~~~')
}

function closesFence(fence: string, mark: string, line: string): boolean {
  return mark.startsWith(fence) && line.trim() === mark
}

/** The kinds of marks that can be inside a line. */
const inline = code | emphasis | escape | bracket | angle | entity | bar
const markPattern = /[`*_~\\[\]<>&|]/

/**
 * Bounded like every pattern that could look far ahead, so that hostile text takes linear time: a line can be as long as a page, and is
 * never divided. What may be long excludes that with which the next match could begin.
 */
const codeSpanPattern = /(?<!`)(`{1,8})(?!`)(.{1,1000}?)(?<!`)\1(?!`)/g
/** Replaces a code span while marks are removed, so that a link around code is recognised as one. */
const codePlace = '\uf8ff'
marksOf[codePlace.charCodeAt(0)] = reserved

function stripLine(line: string, marks: number): string {
  const trimmed = line.trim()
  // A line that begins with a letter is neither a rule nor a list item.
  const text = beginsWithLetter(trimmed)
    ? trimmed
    : rulePattern.test(line)
      ? ''
      : line.replace(lineStartPattern, '').trim()
  if ((marks & inline) === 0 || !markPattern.test(text)) return text
  const free = marks & reserved ? text.replaceAll(codePlace, ' ') : text
  // Most marks are emphasis or table borders, and most lines contain no code.
  if ((marks & code) === 0)
    return stripInline(free, marks)
      .replaceAll(/\s{2,}/g, ' ')
      .trim()
  const codes: string[] = []
  let restored = 0
  const places = free.replaceAll(codeSpanPattern, (_, _ticks, span: string) => {
    codes.push(span)
    return codePlace
  })
  return stripInline(places, marks)
    .replaceAll(codePlace, () => codes[restored++] ?? '')
    .replaceAll(/\s{2,}/g, ' ')
    .trim()
}

function beginsWithLetter(text: string): boolean {
  const unit = text.charCodeAt(0) | 0x20
  return unit >= 0x61 && unit <= 0x7a
}

/** Tags inside or between words that leave no gap. All other tags separate words. */
const inlineTagPattern =
  /<\/?(?:a|abbr|b|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?\/?>/gi
const tagPattern =
  /<\/?(?:blockquote|br|caption|center|details|div|figure|figcaption|h[1-6]|hr|img|li|ol|p|pre|summary|table|tbody|td|th|thead|tr|ul)(?:\s[^<>]*)?\/?>/gi
const linkPattern = /!?\[((?:[^[\]\\]|\\.)*)\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s+["'(][^"'()]*["')])?\)/g
/** A reference link. Its text must contain a letter, unlike `x[i][j]` and the notes [1][2]. */
const referencePattern = /(?<![\p{L}\p{N}_\])])!?\[([^[\]\p{L}]{0,100}\p{L}[^[\]]{0,500})\]\[[^[\]]{0,200}\]/gu
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
)
/** Private-use characters from this offset replace escaped characters while marks are removed. */
const escapedBase = 0xe000
const escapedPattern = /[\ue021-\ue07e]/g
marksOf.fill(reserved, escapedBase + 0x21, escapedBase + 0x7f)

function stripInline(piece: string, marks: number): string {
  let text = piece
  if (marks & escape) {
    const escaped = (_: string, mark: string) => String.fromCharCode(escapedBase + mark.charCodeAt(0))
    text = text.replaceAll(/\\([!-/:-@[-`{-~])/g, escaped)
  }
  if (marks & angle && text.includes('<!--')) text = withoutComments(text)
  if (marks & bracket) {
    text = text.replaceAll(linkPattern, '$1').replaceAll(linkPattern, '$1').replaceAll(referencePattern, '$1')
  }
  if (marks & angle) {
    text = text
      .replaceAll(/<((?:https?|mailto|ftp):[^<>\s]+)>/g, '$1')
      .replaceAll(inlineTagPattern, '')
      .replaceAll(tagPattern, ' ')
  }
  if (marks & emphasis) text = text.replaceAll(emphasisPattern, '')
  if (marks & bar) text = text.replaceAll(/(?:(?<! ) +)?\| */g, '  ')
  if (marks & entity) {
    text = text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => entities.get(name) as string)
  }
  if ((marks & (escape | reserved)) === 0) return text
  return text.replaceAll(escapedPattern, (mark) => String.fromCharCode(mark.charCodeAt(0) - escapedBase))
}

const maxComment = 1000

/** Replaces comments of up to 1,000 characters by a space. */
function withoutComments(text: string): string {
  let [kept, from, end] = ['', 0, 0]
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', Math.max(from, at + 1))) {
    if (end < at + 4) end = text.indexOf('-->', at + 4)
    if (end < 0) break
    if (end - at - 4 > maxComment) continue
    kept += `${text.slice(from, at)} `
    from = end + 3
  }
  return kept + text.slice(from)
}

/** Escaped characters are punctuation too. */
const emphasisPattern =
  /\*{2,}|~~|(?<!\s)\*(?=\s|$|[\p{P}\ue021-\ue07e])|(?<=^|\s|[\p{P}\ue021-\ue07e])\*(?=\S)|(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu
