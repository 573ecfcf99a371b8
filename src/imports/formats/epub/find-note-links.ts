import { isTypedReference, isNoteReference } from './note-labels.ts'

/** A link that may be a note reference. */
export interface NoteLink {
  /** The offset of its tag in the source. */
  at: number
  href: string
  /** Its displayed text, without brackets; empty for a picture. */
  shown: string
  /** True if the source marks it as a note reference by its type. */
  isTyped: boolean
  /** True if a class or the form of its target marks it as a note reference. */
  isReference: boolean
  /** Its surroundings, which are only inspected if its target may be a note. */
  place: LinkPlace
}

/** The position of a link in its paragraph. */
export interface LinkSurroundings {
  isRaised: boolean
  isBracketed: boolean
  /** Whether words precede it in its paragraph, and whether they do so without a space. */
  followsText: boolean
  isAttached: boolean
}

/** The position of a link in the source. */
interface LinkPlace {
  source: string
  from: number
  tag: string
  inner: string
}

const maxTagLength = 1_000
const maxInnerLength = 300
const maxShown = 20
const lookBack = 300
/** A block tag at `lastIndex`. */
const blockTag =
  /<\/?(?:p|div|li|ul|ol|dl|d[dt]|t[dhr]|table|h[1-6]|section|aside|article|blockquote|body|html|head|br|hr|nav)\b[^<>]*>/iy
/** Matches every tag for which `isTypedReference` can be true. */
const possiblyTyped = /note|fnref/i
const label =
  /^[[({]?\s*(\d{1,5}[a-z]?|[a-z]{1,2}|[ivxlc]{1,8}|\*{1,6}|\u2217{1,6}|[\u2020\u2021\u00A7\u00B6\u2016#]{1,6})\s*[.:]?[\])}]?$/iu
const raisedStyle = /vertical-align\s*:\s*(?:super|top)|\b(?:super(?:script)?|sup)\b/i

/** The displayed text of a note reference, without brackets and in plain letters; null if the text is not one. */
function markShown(text: string): string | null {
  if (text.length > maxShown) return null
  return label.exec(text.normalize('NFKC').trim())?.[1]?.replaceAll('\u2217', '*') ?? null
}

/** The possible note references of an XHTML file, in order: marked ones, and short ones with a number or sign. */
export function findNoteLinks(source: string): NoteLink[] {
  const links: NoteLink[] = []
  if (!source.includes('#')) return links
  for (const { 0: tag, index: at } of source.matchAll(/<a\s[^<>]*>/gi)) {
    if (tag.length > maxTagLength || tag.endsWith('/>') || !tag.includes('#')) continue
    const inner = innerOf(source, at + tag.length)
    if (inner === null) continue
    const text = plainText(inner)
    if (text.length > maxShown) continue
    const mark = markShown(text)
    if (mark === null && !possiblyTyped.test(tag)) continue
    const attributes = readAttributes(tag)
    const isTyped = isTypedReference(attributes)
    const shown = mark ?? (isTyped ? text : null)
    const href = (attributes['href'] ?? '').replaceAll('&amp;', '&')
    if (shown === null || !href.includes('#')) continue
    links.push({
      at,
      href,
      shown,
      isTyped,
      isReference: isNoteReference(attributes),
      place: { source, from: at, tag, inner },
    })
  }
  return links
}

/** Determines the position of a link in its paragraph. */
export function surroundingsOf({ source, from, tag, inner }: LinkPlace): LinkSurroundings {
  const paragraph = sinceBlockTag(source.slice(Math.max(0, from - lookBack), from))
  const words = plainText(`${paragraph}|`).slice(0, -1)
  const bare = words.replace(/[[({]+$/, '')
  return {
    isRaised: isRaisedBy(paragraph, tag, inner),
    isBracketed: /[[({]$/.test(words) || /^[[({]/.test(plainText(inner)),
    followsText: bare.trim() !== '',
    isAttached: /\S$/.test(bare),
  }
}

/** The displayed markup of a link; null if it is longer than a note reference. */
function innerOf(source: string, from: number): string | null {
  const near = source.slice(from, from + maxInnerLength)
  const lower = near.indexOf('</a')
  const end = lower < 0 ? near.indexOf('</A') : lower
  const tag = near.indexOf('<')
  return end < 0 || tag > maxShown * 4 ? null : near.slice(0, end)
}

function readAttributes(tag: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /\s([\w:.-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g,
  ))
    attributes[name.toLowerCase()] ??= double ?? single ?? bare ?? ''
  return attributes
}

/** The text of some markup; a character reference counts as a letter, unless it is a space or a note sign. */
function plainText(markup: string): string {
  const text = markup.includes('<') ? markup.replace(/<[^<>]*>/g, '') : markup
  const decoded = text.includes('&') ? text.replace(/&(#?\w{1,10});/g, (_, name: string) => decode(name)) : text
  return decoded.replace(/\s+/g, ' ').trim()
}

const namedSigns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    nbsp: ' ',
    thinsp: ' ',
    ast: '*',
    dagger: '\u2020',
    Dagger: '\u2021',
    sect: '\u00A7',
    para: '\u00B6',
    lsqb: '[',
    rsqb: ']',
    lbrack: '[',
    rbrack: ']',
  }),
)

function decode(name: string): string {
  const code = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name)
  if (code === null) return namedSigns.get(name) ?? 'x'
  const point = code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16)
  return point <= 0x10ffff ? String.fromCodePoint(point) : 'x'
}

function sinceBlockTag(before: string): string {
  for (let at = before.lastIndexOf('<'); at >= 0; at = at > 0 ? before.lastIndexOf('<', at - 1) : -1) {
    blockTag.lastIndex = at
    if (blockTag.test(before)) return before.slice(blockTag.lastIndex)
  }
  return before.replace(/^[^<>]*>/, '')
}

function isRaisedBy(paragraph: string, tag: string, inner: string): boolean {
  if (/<sup\b/i.test(inner) || raisedStyle.test(tag)) return true
  const open = paragraph.lastIndexOf('<sup')
  return open > paragraph.lastIndexOf('</sup') || /<span\b[^<>]*\bsup[^<>]*>[^<>]*$/i.test(paragraph)
}

/** True if an element near a link has this id or name. */
export function hasIdNear({ source, from, tag, inner }: LinkPlace, id: string): boolean {
  const end = from + tag.length + inner.length + 64
  const start = Math.max(0, from - lookBack)
  const near = source.slice(start, end)
  for (let at = near.indexOf(id); at >= 0; at = near.indexOf(id, at + 1)) {
    const isWhole = /["']/.test(near[at - 1] ?? '') && /["']/.test(near[at + id.length] ?? '')
    if (isWhole && /(?:\bid|\bname)\s*=\s*["']$/i.test(near.slice(Math.max(0, at - 12), at))) return true
  }
  return false
}
