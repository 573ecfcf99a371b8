/* oxlint-disable no-control-regex -- the numbers of glyphs are control characters */
import { commonPairShare } from './improbable-text.ts'
import type { Character } from './character.ts'

/*
 * Some programs embed fonts without a mapping to Unicode. The engine returns the numbers of their glyphs. Most fonts order
 * their first glyphs as ASCII does, after one to three others.
 */

/** The possible numbers of the space, which the other ASCII characters follow. */
const spaces = /^[\u0001-\u0003]$/
const asciiSpace = 32
const asciiCharacters = 95
/**
 * The number of the space in Microsoft's fonts, and their glyphs after those of ASCII: those of Macintosh fonts (Apple's
 * TrueType Reference Manual, 'post' table) without the no-break space.
 */
const microsoftSpace = 3
const further = [
  ...'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›',
  'fi',
  'fl',
  ...'‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ',
]
/** Minimum number of pairs of letters that prove the order of a font, and minimum share of common ones. */
const [minPairs, minCommonShare] = [12, 0.25]
/** Minimum share of the glyphs after ASCII inside words that must be letters. */
const minLetters = 0.7
const letter = /^[\p{L}’]/u
const lineCode = /^[\t-\r]$/

/** The order of the glyphs of a font. */
interface GlyphOrder {
  space: number
  hasFurther: boolean
}

/** A character that a font does not map, with its place on the page. */
interface Glyph {
  at: number
  number: number
}

/** Which characters of a page have no text in their font, and which fonts have codes of their own: symbol fonts, and those without a name. */
interface Fonts {
  isUnmapped(at: number): boolean
  others: ReadonlySet<string>
}

/** Reads the glyph numbers of fonts without a mapping to Unicode in one document. */
export class GlyphNumbers {
  /** The order of a font that has enough text to prove it. Fonts with less text have the same. */
  #proven: GlyphOrder | null = null

  /**
   * The characters of a page with letters instead of glyph numbers, and without the glyphs of spaces; null if the page has
   * no such text.
   */
  read(characters: readonly Character[], { isUnmapped, others }: Fonts): Character[] | null {
    const fonts = new Set<string>()
    for (const { text, style } of characters) {
      // The comparison spares most characters the test.
      if (text < '\u0004' && spaces.test(text) && !others.has(style.font)) fonts.add(style.font)
    }
    if (fonts.size === 0) return null
    const glyphs = Map.groupBy(
      characters.keys().filter((at) => fonts.has(characters[at]?.style.font ?? '') && isUnmapped(at)),
      (at) => characters[at]?.style.font,
    )
    const texts = new Map<number, string>()
    for (const places of glyphs.values()) {
      const font = places.map((at): Glyph => ({ at, number: characters[at]?.text.codePointAt(0) ?? 0 }))
      const order = orderOf(font)
      this.#proven ??= order
      for (const { at, number } of font) {
        const text = textOf(number, order ?? this.#proven)
        if (text !== undefined) texts.set(at, text)
      }
    }
    return texts.size === 0 ? null : replace(characters, texts, others)
  }
}

/** The text of a glyph; undefined if its number has no common meaning. */
function textOf(number: number, order: GlyphOrder | null): string | undefined {
  const index = order === null ? -1 : number - order.space
  if (index < 0) return undefined
  if (index < asciiCharacters) return String.fromCharCode(index + asciiSpace)
  return order?.hasFurther === true ? further[index - asciiCharacters] : undefined
}

/** The order of the glyphs of a font whose numbers are those of a text in a language; null if they are not. */
function orderOf(glyphs: readonly Glyph[]): GlyphOrder | null {
  const numbers = glyphs.map(({ number }) => number)
  const raw = commonPairShare([numbers.map((number) => String.fromCodePoint(number)).join('')]).share
  let [best, bestShare] = [null as GlyphOrder | null, Math.max(minCommonShare, raw)]
  for (const space of [1, 2, microsoftSpace]) {
    if (!numbers.includes(space)) continue
    const order = { space, hasFurther: space === microsoftSpace && hasFurtherGlyphs(numbers) }
    const { pairs, share } = commonPairShare([numbers.map((number) => textOf(number, order) ?? ' ').join('')])
    if (pairs >= minPairs && share > bestShare) [best, bestShare] = [order, share]
  }
  return best
}

/** Whether the glyphs after those of ASCII are letters where they are between letters. */
function hasFurtherGlyphs(numbers: readonly number[]): boolean {
  const order = { space: microsoftSpace, hasFurther: true }
  const isLetter = (number = 0): boolean => letter.test(textOf(number, order) ?? '')
  const inside = numbers.filter((number, index) => {
    return number >= microsoftSpace + asciiCharacters && isLetter(numbers[index - 1]) && isLetter(numbers[index + 1])
  })
  return inside.filter(isLetter).length >= inside.length * minLetters
}

/** The characters without the codes of line ends, unless these are in a font with codes of its own. */
export function dropLineCodes(characters: readonly Character[], others: ReadonlySet<string>): Character[] {
  return replace(characters, new Map(), others)
}

/** The characters with their texts, without spaces and the codes of line ends. */
function replace(
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
