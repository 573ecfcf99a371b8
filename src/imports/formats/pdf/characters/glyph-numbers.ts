/* oxlint-disable no-control-regex -- the numbers of glyphs are control characters */
import { commonPairShare } from './improbable-text.ts'
import type { Character } from './character.ts'
import type { PageFonts } from './false-letters.ts'
import { asciiOrders, calibriOrder, microsoftOrder, type GlyphOrder } from './glyph-orders.ts'

/*
 * Some programs embed fonts without a mapping to Unicode. The engine returns the numbers of their glyphs. Most fonts order
 * their first glyphs as ASCII does, after one to three others. Calibri has an order of its own.
 */

/** The possible numbers of the space. */
const spaces = /^[\u0001-\u0003]$/
/** Minimum number of pairs of letters that prove the order of a font, and minimum share of common ones. */
const [minPairs, minCommonShare] = [12, 0.25]
/** Minimum share of the glyphs after ASCII inside words that must be letters. */
const minLetters = 0.7
/** The number of the first glyph after ASCII in Microsoft's order. */
const firstFurther = microsoftOrder.space + 95
const letter = /^[\p{L}’]/u
const lineCode = /^[\t-\r]$/

/** A character that a font does not map, with its place on the page. */
interface Glyph {
  at: number
  number: number
}

/** Reads the glyph numbers of fonts without a mapping to Unicode in one document. */
export class GlyphNumbers {
  /** The order of a font that has enough text to prove it. Fonts with less text have the same. */
  #proven: GlyphOrder | null = null

  /** The texts of the glyph numbers on a page, by the place of the character. */
  textsOf(characters: readonly Character[], { isUnmapped, others }: PageFonts): Map<number, string> {
    const fonts = new Set<string>()
    for (const { text, style } of characters) {
      // The comparison spares most characters the test.
      if (text < '\u0004' && spaces.test(text) && !others.has(style.font)) fonts.add(style.font)
    }
    const texts = new Map<number, string>()
    if (fonts.size === 0) return texts
    const glyphs = Map.groupBy(
      characters.keys().filter((at) => fonts.has(characters[at]?.style.font ?? '') && isUnmapped(at)),
      (at) => characters[at]?.style.font,
    )
    for (const places of glyphs.values()) {
      const font = places.map((at): Glyph => ({ at, number: characters[at]?.text.codePointAt(0) ?? 0 }))
      const order = orderOf(font)
      this.#proven ??= order
      for (const { at, number } of font) {
        const text = (order ?? this.#proven)?.texts.get(number)
        if (text !== undefined) texts.set(at, text)
      }
    }
    return texts
  }
}

/** The order of the glyphs of a font whose numbers are those of a text in a language; null if they are not. */
function orderOf(glyphs: readonly Glyph[]): GlyphOrder | null {
  const numbers = glyphs.map(({ number }) => number)
  const raw = commonPairShare([numbers.map((number) => String.fromCodePoint(number)).join('')]).share
  let [best, bestShare] = [null as GlyphOrder | null, Math.max(minCommonShare, raw)]
  const ascii = hasFurtherGlyphs(numbers)
    ? [...asciiOrders.filter(({ space }) => space !== microsoftOrder.space), microsoftOrder]
    : asciiOrders
  for (const order of [...ascii, calibriOrder]) {
    if (!numbers.includes(order.space)) continue
    const { pairs, share } = commonPairShare([numbers.map((number) => order.texts.get(number) ?? ' ').join('')])
    if (pairs >= minPairs && share > bestShare) [best, bestShare] = [order, share]
  }
  return best
}

function isLetter(number = 0): boolean {
  return letter.test(microsoftOrder.texts.get(number) ?? '')
}

/** Whether the glyphs after those of ASCII are letters where they are between letters. */
function hasFurtherGlyphs(numbers: readonly number[]): boolean {
  const inside = numbers.filter((number, index) => {
    return number >= firstFurther && isLetter(numbers[index - 1]) && isLetter(numbers[index + 1])
  })
  return inside.filter(isLetter).length >= inside.length * minLetters
}

/** The characters without the codes of line ends, unless these are in a font with codes of its own. */
export function dropLineCodes(characters: readonly Character[], others: ReadonlySet<string>): Character[] {
  return replaceGlyphs(characters, new Map(), others)
}

/** The characters with their texts by place, without spaces and the codes of line ends. */
export function replaceGlyphs(
  characters: readonly Character[],
  texts: ReadonlyMap<number, string>,
  others: ReadonlySet<string>,
): Character[] {
  const read: Character[] = []
  let afterSpace = false
  for (const [at, character] of characters.entries()) {
    const text = texts.get(at)
    if (text === ' ' || (text === undefined && lineCode.test(character.text) && !others.has(character.style.font))) {
      afterSpace = true
      continue
    }
    const isChanged = text !== undefined || afterSpace
    const spaced = afterSpace || character.afterSpace
    read.push(isChanged ? { ...character, text: text ?? character.text, afterSpace: spaced } : character)
    afterSpace = false
  }
  return read
}
