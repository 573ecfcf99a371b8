import { across, advance, along } from '../characters/character-places.ts'
import type { FontFace } from '../page/pdf-file.ts'
import type { TextItem } from '../characters/read-runs.ts'
import { addWideSpaces, joinSpacedLetters } from '../characters/spaced-letters.ts'
import type { Character, TextStyle } from '../characters/character.ts'

/** How far a character may be from the preceding one to belong to the same item, in ems. */
const reach = { forth: 0.6, back: -0.2, across: 0.5 }
/** The distances between characters of vertical text, in ems. */
const downwards = { least: 0.5, most: 1.6, aside: 0.3 }
/**
 * The origin of a character of a vertical font (top centre), relative to the position that the engine returns, in ems.
 */
const verticalStart = { aside: 0.5, up: 0.86 }
/**
 * Minimum width of a space between text objects, in ems. Inside text objects the engine decides, except about gaps of
 * `engineGap` or more, which may be spaces that a program wrote as the distance of all characters of a short object.
 */
const spaceWidth = 0.1
const engineGap = 0.25
/** The minimum height of a tall symbol, in ems. */
const minTall = 1.3
/** Minimum width of a space before a hyphen, in ems. The gap in some names, such as KOMA-Script, is narrower. */
const hyphenSpace = 0.15
/** Maximum remaining gap, in ems, of a space that the file narrows to nothing to place the next letter of a word. */
const spaceGone = 0.03
/** Gaps between right-to-left words, in ems. Joined letters touch, but the engine reports spaces between them. */
const rtlSpace = { least: 0.05, sure: 0.15 }

/** Letters and signs of right-to-left scripts. */
export const rightToLeft = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const leftToRight = /[\p{L}\p{N}]/u
/** The last visible character of ASCII: a tilde. */
const lastAscii = 0x7e

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
  /** The widths of its spaces, in ems. */
  gaps: number[]
  /** The places in the text of wide gaps that the engine does not take for spaces, and the number of all others. */
  wideGaps: number[]
  narrowGaps: number
  /** The distance of its last two characters, in ems; 0 if there is a space between them. */
  letterGap: number
}

/** An item that consists of a space. It indicates a space between the items around it. */
const space: TextItem = { str: ' ', dir: 'ltr', transform: [], width: 0, height: 0, fontName: '' }

/**
 * Collects characters into items. An item contains adjacent characters of one font on one baseline, with the spaces
 * between them.
 */
export function collectItems(): { add(character: Character): void; end(): TextItem[] } {
  const items: OpenItem[] = []
  let hasRtl = false
  let isVisual = false
  const close = (item: OpenItem): void => {
    hasRtl ||= item.direction === 'rtl'
    const before = items.at(-1)
    if (!hasRtl || !before || !prepend(before, item)) items.push(item)
  }
  let open: OpenItem | undefined
  return {
    add(character) {
      isVisual ||= open !== undefined && isInVisualOrder(open, character)
      if (open && extend(open, character, isVisual)) return
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

/** Adds to the faces of the fonts of a page their variants for vertical text. */
export function withVerticalFaces(faces: ReadonlyMap<string, FontFace>): Map<string, FontFace> {
  const both = new Map(faces)
  for (const [name, face] of faces) both.set(verticalName(name), { ...face, vertical: true })
  return both
}

/**
 * Marks single characters as vertical if other text in the same font is. A single character does not show its
 * direction.
 */
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
    gaps: [],
    wideGaps: [],
    narrowGaps: 0,
    letterGap: 0,
  }
}

/** Whether a file draws right-to-left letters from left to right: a letter follows another on its right. */
function isInVisualOrder({ style, direction, end }: OpenItem, character: Character): boolean {
  if (direction !== 'rtl' || !character.sameObject || character.style !== style) return false
  return directionOf(character.text) === 'rtl' && along(character) > end - style.em * spaceWidth
}

/**
 * Appends a character to an item if it belongs to it. Returns whether it does. In visual order, the gap before a
 * right-to-left character may contain others that the file draws later.
 */
function extend(open: OpenItem, character: Character, isVisual: boolean): boolean {
  const { last } = open
  if (character.sameObject && character.x === last.x && character.y === last.y && !isOnMark(character, last)) {
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
  if (gap > em * (rtl && isVisual ? rtlSpace.sure : reach.forth) || gap < em * reach.back) return false
  const hasSpaceBefore = rtl ? isAfterSpaceInRtl(character, gap / em) : isAfterSpace(open, character, gap / em)
  if (hasSpaceBefore) open.gaps.push(gap / em)
  else if (gap > em * engineGap && !rtl) open.wideGaps.push(open.text.length)
  else open.narrowGaps += 1
  append(open, character, hasSpaceBefore)
  open.letterGap = hasSpaceBefore ? 0 : gap / em
  if (rtl) open.direction = 'rtl'
  else if (direction === 'ltr') open.direction = 'ltr'
  open.start = Math.min(open.start, start)
  open.end = Math.max(open.end, start + advance(character))
  return true
}

/** Whether a letter follows a mark without a width, and so begins where the mark does. */
function isOnMark(character: Character, last: Character): boolean {
  return last.width === 0 && character.width > 0
}

/** Whether a symbol is taller than its font size, or a piece of a bracket. Such symbols become separate items. */
function isTall({ text, glyphHeight = 0 }: Character, em: number): boolean {
  const unit = text.charCodeAt(0)
  return glyphHeight > em * minTall || (unit >= 0x239b && unit <= 0x23ae)
}

/**
 * Whether a space precedes a character that continues an item. `gap` is its distance from the preceding character, in
 * ems. In text whose letters are spaced out, a gap as wide as that between the letters before it is none.
 */
function isAfterSpace({ letterGap }: OpenItem, character: Character, gap: number): boolean {
  const { text, afterSpace, hasLooseSpace = false, sameObject } = character
  if (text === '-' && gap < hyphenSpace) return false
  // Distiller draws a space under the end of a ligature.
  if (sameObject || (afterSpace && !hasLooseSpace)) return afterSpace && Math.abs(gap) >= spaceGone
  if (Math.abs(gap - letterGap) < spaceGone) return false
  // The engine knows more than the gap only if letters overlap, because their widths in the font are wrong.
  return gap > spaceWidth || (afterSpace && gap < -spaceWidth)
}

/** Whether a space precedes a right-to-left character that continues an item. */
function isAfterSpaceInRtl({ afterSpace, sameObject }: Character, gap: number): boolean {
  return (!sameObject && gap > spaceWidth) || gap > (afterSpace ? rtlSpace.least : rtlSpace.sure)
}

/**
 * Prepends an item to the one that follows it on the page. In a right-to-left line, the engine returns parts of
 * left-to-right text, such as `page` and `12`, in the wrong order.
 */
function prepend(next: OpenItem, item: OpenItem): boolean {
  if (next.direction === 'rtl' || item.direction === 'rtl' || next.vertical || item.vertical) return false
  if (!isSameStyle(next.style, item.style)) return false
  const { em } = item.style
  const gap = next.start - item.end
  if (Math.abs(across(next.first) - across(item.first)) > em * spaceWidth) return false
  if (gap > em * reach.forth || gap < em * reach.back) return false
  next.text = item.text + (gap > em * spaceWidth ? ' ' : '') + next.text
  next.wideGaps = []
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
    a.font === b.font &&
    a.mcid === b.mcid &&
    Math.abs(a.size - b.size) < a.size * 0.01 &&
    Math.abs(a.x - b.x) + Math.abs(a.y - b.y) < 0.01
  )
}

function toItem(item: OpenItem): TextItem {
  const { style, direction, vertical, first, last, start, end, glyphHeight } = item
  const { matrix, x, y, em, size, font, mcid } = style
  const forth = vertical ? em * verticalStart.aside : start - along(first)
  const up = vertical ? em * verticalStart.up : 0
  return {
    str: addWideSpaces(item) ?? joinSpacedLetters(item.text, item.gaps),
    dir: direction === 'rtl' ? 'rtl' : 'ltr',
    transform: [...matrix, first.x + x * forth - y * up, first.y + y * forth + x * up],
    width: end - start,
    height: vertical ? across(first) - across(last) + em : size,
    fontName: vertical ? verticalName(font) : font,
    ...(glyphHeight > 0 ? { glyphHeight } : {}),
    ...(mcid === undefined ? {} : { mcid }),
  }
}

function directionOf(text: string): Direction {
  const unit = text.charCodeAt(0)
  if (unit <= lastAscii) return isAsciiWord(unit) ? 'ltr' : 'neutral'
  if (rightToLeft.test(text)) return 'rtl'
  return leftToRight.test(text) ? 'ltr' : 'neutral'
}

/** Whether a code of ASCII is a letter or a digit. */
function isAsciiWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39)
}
