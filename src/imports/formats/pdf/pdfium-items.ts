import { across, advance, along } from './character-places.ts'
import type { FontFace } from './pdf-file.ts'
import type { TextItem } from './read-runs.ts'
import type { Character, TextStyle } from './character.ts'

/** Distances in ems: how far a character may stand from the one before it and still belong to its item. */
const reach = { forth: 0.6, back: -0.2, across: 0.5 }
/** The distances in ems of characters that are written downwards. */
const downwards = { least: 0.5, most: 1.6, aside: 0.3 }
/** Where a vertical font begins a character, in ems from where the engine says that it stands: its top, in the middle. */
const verticalStart = { aside: 0.5, up: 0.86 }
/** A distance in ems from which there is a space between text objects; inside of them the engine judges. */
const spaceWidth = 0.1
/** From this height on, in ems, a sign is a tall one. */
const minTall = 1.3
/** A space before a hyphen is wider, in ems; less is the distance that some names have, such as KOMA-Script. */
const hyphenSpace = 0.15
/** The engine takes joined letters from right to left for words apart; they touch, and words are so far apart in ems. */
const rtlSpace = { least: 0.05, sure: 0.15 }

const rightToLeft = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const leftToRight = /[\p{L}\p{N}]/u

type Direction = 'ltr' | 'rtl' | 'neutral'

interface OpenItem {
  text: string
  style: TextStyle
  direction: Direction
  vertical: boolean
  first: Character
  last: Character
  /** Its extent along the writing direction, from the origin of the page. */
  start: number
  end: number
  glyphHeight: number
}

/** An item of nothing but a space tells of one between its neighbours. */
const space: TextItem = { str: ' ', dir: 'ltr', transform: [], width: 0, height: 0, fontName: '' }

/** Collects characters into items: adjacent characters of one font on one baseline, with the spaces between them. */
export function collectItems(): { add(character: Character): void; end(): TextItem[] } {
  const items: OpenItem[] = []
  let hasRtl = false
  const close = (item: OpenItem): void => {
    hasRtl ||= item.direction === 'rtl'
    const before = items.at(-1)
    if (!hasRtl || !before || !prepend(before, item)) items.push(item)
  }
  let open: OpenItem | undefined
  return {
    add(character) {
      if (open && extend(open, character)) return
      if (open) close(open)
      open = openItem(character)
    },
    end() {
      if (open) close(open)
      open = undefined
      markSingleSigns(items)
      return items.flatMap((item) => (item.first.afterSpace ? [space, toItem(item)] : [toItem(item)]))
    },
  }
}

/** The faces of a page's fonts with those of text that is written downwards. */
export function withVerticalFaces(faces: ReadonlyMap<string, FontFace>): Map<string, FontFace> {
  const both = new Map(faces)
  for (const [name, face] of faces) both.set(verticalName(name), { ...face, vertical: true })
  return both
}

/** Single signs of a vertical font show no direction; the font's other text on the page does. */
function markSingleSigns(items: readonly OpenItem[]): void {
  const fonts = new Set(items.filter(({ vertical }) => vertical).map(({ style }) => style.font))
  if (fonts.size === 0) return
  for (const item of items) if (item.first === item.last && fonts.has(item.style.font)) item.vertical = true
}

function verticalName(font: string): string {
  return `${font} vertical`
}

function openItem(character: Character): OpenItem {
  const start = along(character)
  return {
    text: character.text,
    style: character.style,
    direction: directionOf(character.text),
    vertical: false,
    first: character,
    last: character,
    start,
    end: start + advance(character),
    glyphHeight: character.glyphHeight ?? 0,
  }
}

/** Adds a character to an item if it belongs to it. */
function extend(open: OpenItem, character: Character): boolean {
  const { last } = open
  if (character.sameObject && character.x === last.x && character.y === last.y) {
    open.text += character.text // the rest of a ligature
    return true
  }
  if (character.style !== open.style && !isSameStyle(character.style, open.style)) return false
  const { em } = open.style
  if (isTall(character, em) || isTall(last, em)) return false
  const fall = across(last) - across(character)
  if (character.sameObject && isBelow(last, character, fall)) {
    if (!open.vertical && open.first !== last) return false
    open.vertical = true
    append(open, character, false)
    return true
  }
  if (open.vertical || Math.abs(fall) > em * reach.across) return false
  const direction = directionOf(character.text)
  if (direction !== open.direction && direction !== 'neutral' && open.direction !== 'neutral') return false
  const start = along(character)
  const rtl = open.direction === 'rtl' || direction === 'rtl'
  const gap = rtl ? open.start - (start + advance(character)) : start - open.end
  if (gap > em * reach.forth || gap < em * reach.back) return false
  append(open, character, isAfterSpace(character, gap / em, rtl))
  if (rtl) open.direction = 'rtl'
  else if (direction === 'ltr') open.direction = 'ltr'
  open.start = Math.min(open.start, start)
  open.end = Math.max(open.end, start + advance(character))
  return true
}

/** Whether a sign is larger than its font, or a piece of a bracket: these stand for themselves. */
function isTall({ text, glyphHeight = 0 }: Character, em: number): boolean {
  return glyphHeight > em * minTall || (text >= '\u239b' && text <= '\u23ae')
}

/** Whether there is a space before a character that stands `gap` ems behind the one before it. */
function isAfterSpace({ text, afterSpace, sameObject }: Character, gap: number, rtl: boolean): boolean {
  if (text === '-' && !rtl && gap < hyphenSpace) return false
  if (!sameObject && gap > spaceWidth) return true
  return rtl ? gap > (afterSpace ? rtlSpace.least : rtlSpace.sure) : afterSpace
}

/**
 * Adds an item to the one that follows it on the page: in a line from right to left the engine gives parts of text from left
 * to right, such as `page` and `12`, in the wrong order.
 */
function prepend(next: OpenItem, item: OpenItem): boolean {
  if (next.direction === 'rtl' || item.direction === 'rtl' || next.vertical || item.vertical) return false
  if (!isSameStyle(next.style, item.style)) return false
  const { em } = item.style
  const gap = next.start - item.end
  if (Math.abs(across(next.first) - across(item.first)) > em * spaceWidth) return false
  if (gap > em * reach.forth || gap < em * reach.back) return false
  next.text = item.text + (gap > em * spaceWidth ? ' ' : '') + next.text
  next.start = item.start
  return true
}

function append(open: OpenItem, character: Character, hasSpaceBefore: boolean): void {
  open.text += hasSpaceBefore ? ` ${character.text}` : character.text
  open.last = character
  open.glyphHeight = Math.max(open.glyphHeight, character.glyphHeight ?? 0)
}

function isBelow(last: Character, character: Character, fall: number): boolean {
  const { em } = last.style
  if (fall < em * downwards.least || fall > em * downwards.most) return false
  return Math.abs(along(character) - along(last)) < em * downwards.aside
}

function isSameStyle(a: TextStyle, b: TextStyle): boolean {
  return (
    a.font === b.font && Math.abs(a.size - b.size) < a.size * 0.01 && Math.abs(a.x - b.x) + Math.abs(a.y - b.y) < 0.01
  )
}

function toItem({ text, style, direction, vertical, first, last, start, end, glyphHeight }: OpenItem): TextItem {
  const { matrix, x, y, em, size, font } = style
  const forth = vertical ? em * verticalStart.aside : start - along(first)
  const up = vertical ? em * verticalStart.up : 0
  return {
    str: text,
    dir: direction === 'rtl' ? 'rtl' : 'ltr',
    transform: [...matrix, first.x + x * forth - y * up, first.y + y * forth + x * up],
    width: end - start,
    height: vertical ? across(first) - across(last) + em : size,
    fontName: vertical ? verticalName(font) : font,
    ...(glyphHeight > 0 ? { glyphHeight } : {}),
  }
}

function directionOf(text: string): Direction {
  if (text <= '~') return isAsciiWord(text) ? 'ltr' : 'neutral'
  if (rightToLeft.test(text)) return 'rtl'
  return leftToRight.test(text) ? 'ltr' : 'neutral'
}

function isAsciiWord(text: string): boolean {
  return (text >= 'a' && text <= 'z') || (text >= 'A' && text <= 'Z') || (text >= '0' && text <= '9')
}
