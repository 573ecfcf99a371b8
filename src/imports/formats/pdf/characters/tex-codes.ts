/* oxlint-disable no-control-regex -- the codes are control characters */
import type { Character, TextStyle } from './character.ts'

/*
 * dvips and other TeX programs write fonts as bitmaps (Type 3) without a name and without a mapping to Unicode. Their characters
 * arrive as raw codes, which are those of TeX: letters and digits as in ASCII, but ligatures, accents, dashes and quotation marks elsewhere.
 */

const fLigatures = ['ff', 'fi', 'fl', 'ffi', 'ffl']
/** TeX's original text encoding, OT1: the codes below 32, and those that differ from ASCII. */
const ot1 = new Map([
  ...numbered([...'ΓΔΘΛΞΠΣΥΦΨΩ', ...fLigatures, ...'ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ'], 0),
  ...paired('"”<¡>¿\\“^ˆ{–|—}˝~˜\x7f¨'),
])
/** The Cork encoding, T1: the codes below 32 and from 128 to 191, and those that differ from Latin-1. */
const t1 = new Map([
  ...numbered([...'`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—', '', '', ...'ıȷ', ...fLigatures], 0),
  ...numbered([...'ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£'], 0x80),
  ...paired('×Œ÷œÿß\x7f-'),
  ['ß', 'SS'],
])

function paired(pairs: string): [string, string][] {
  return Array.from(pairs.matchAll(/(.)(.)/gsu), ([, code = '', text = '']) => [code, text])
}

function numbered(texts: readonly string[], first: number): [string, string][] {
  return texts.map((text, at) => [String.fromCharCode(first + at), text])
}

type Encoding = ReadonlyMap<string, string>

/** Part of a word of a text font. Fonts of formulas contain single letters. */
const textWord = /[a-z]{4}/
/** A ligature in a word. The codes of the first two in OT1 are those of accents in T1, which no text contains alone. */
const ligatures = {
  ot1: /(?<=[A-Za-z])[\v\f](?=[a-z])|^[\v\f](?=[a-z]{2})/g,
  t1: /(?<=[A-Za-z])[\x1b-\x1f](?=[a-z])|^[\x1b-\x1f](?=[a-z]{2})/g,
}
/** Codes that are rare in texts of either encoding: ligatures at the end of a word, Greek capitals and accents that stand alone. */
const rareCodes = /[\v-\x0f\x1b-\x1f](?![a-z])|[\0-\x0a]/g
const spaceCode = /^[\t-\r]$/

interface CodeCounts {
  hasWords: boolean
  ot1: number
  t1: number
  rare: number
}

/** Reads the raw codes of fonts without a name in one document, whose fonts usually have the same encoding. */
export class TexCodes {
  #encoding: Encoding | null = null

  /**
   * Returns the characters of a page. In `unnamed` fonts, replaces the raw codes with the text that they represent, corrects the
   * font size, and removes spaces inside words.
   */
  read(characters: readonly Character[], unnamed: ReadonlySet<string>): readonly Character[] {
    if (unnamed.size === 0) return characters
    const joined = joinWords(resize(characters, unnamed), unnamed)
    const fonts = new Map<string, FontKind>()
    for (const [font, { hasWords, ot1: inOt1, t1: inT1, rare }] of countCodes(joined, unnamed)) {
      const isTex = Math.max(inOt1, inT1) > rare
      if (isTex) this.#encoding = inOt1 > 0 ? ot1 : (this.#encoding ?? t1)
      if (isTex || (hasWords && rare === 0)) fonts.set(font, isTex ? 'ligatures' : 'text')
    }
    return decode(joined, { unnamed, fonts, encoding: this.#encoding })
  }
}

function countCodes(characters: readonly Character[], unnamed: ReadonlySet<string>): Map<string, CodeCounts> {
  const fonts = new Map<string, CodeCounts>()
  for (const { font, word } of wordsOf(characters, unnamed)) {
    const counts = fonts.get(font) ?? { hasWords: false, ot1: 0, t1: 0, rare: 0 }
    fonts.set(font, counts)
    counts.hasWords ||= textWord.test(word)
    counts.ot1 += word.match(ligatures.ot1)?.length ?? 0
    counts.t1 += word.match(ligatures.t1)?.length ?? 0
    counts.rare += word.match(rareCodes)?.length ?? 0
  }
  return fonts
}

/** The mean width of small letters in text fonts, in ems. */
const letterWidth = 0.47
/** The factor from which the size of a font and the size that the widths of its letters indicate count as different. */
const sizeTolerance = 1.5
const minLetters = 5
const smallLetter = /^[a-z]$/

/** Corrects the size of fonts by the widths of their letters. The engine only knows the height of their bitmaps. */
function resize(characters: readonly Character[], unnamed: ReadonlySet<string>): readonly Character[] {
  const widths = new Map<string, { sum: number; count: number }>()
  for (const { text, width, style } of characters) {
    if (!unnamed.has(style.font) || !smallLetter.test(text) || style.em <= 0) continue
    const known = widths.get(style.font) ?? { sum: 0, count: 0 }
    widths.set(style.font, { sum: known.sum + width / style.em, count: known.count + 1 })
  }
  const measured = [...widths].filter(([, { count }]) => count >= minLetters)
  const [most] = measured.toSorted(([, one], [, other]) => other.count - one.count)
  if (most === undefined) return characters
  const factors = new Map(measured.map(([font, { sum, count }]) => [font, factorOf(sum / count)]))
  // Fonts of formulas have too few letters. Their bitmaps are like those of the text.
  for (const font of unnamed) if (!factors.has(font)) factors.set(font, factors.get(most[0]) as number)
  if (factors.values().every((factor) => factor === 1)) return characters
  const styles = new Map<TextStyle, TextStyle>()
  return characters.map((character) => {
    const factor = factors.get(character.style.font) ?? 1
    if (factor === 1) return character
    const style = styles.get(character.style) ?? scaled(character.style, factor)
    styles.set(character.style, style)
    return { ...character, style }
  })
}

function factorOf(meanWidth: number): number {
  const factor = meanWidth / letterWidth
  return factor > sizeTolerance || (factor > 0 && factor < 1 / sizeTolerance) ? factor : 1
}

function scaled({ matrix: [a, b, c, d], em, size, ...style }: TextStyle, factor: number): TextStyle {
  return { ...style, matrix: [a * factor, b * factor, c * factor, d * factor], em: em * factor, size: size * factor }
}

/**
 * Maximum distance between the characters of a word: in widths of the narrower one, and in ems. TeX's kerns are below 0.2 widths and 0.12
 * ems, its spaces between words above 0.4 widths and 0.2 ems.
 */
const maxGap = { widths: 0.3, ems: 0.15 }

/** Removes the spaces that the engine infers from kerns in fonts without a space character. */
function joinWords(characters: readonly Character[], unnamed: ReadonlySet<string>): Character[] {
  let last: Character | null = null
  return characters.map((character) => {
    const isKern = character.afterSpace && last !== null && unnamed.has(character.style.font) && isNext(last, character)
    last = character
    return isKern ? { ...character, afterSpace: false } : character
  })
}

/** The texts of neighbouring characters in one font, without spaces between them. */
function wordsOf(characters: readonly Character[], unnamed: ReadonlySet<string>): { font: string; word: string }[] {
  const words: { font: string; word: string }[] = []
  let last: Character | null = null
  for (const character of characters) {
    const { font } = character.style
    if (unnamed.has(font)) {
      if (last === null || character.afterSpace || !isNext(last, character)) words.push({ font, word: '' })
      ;(words.at(-1) as { word: string }).word += character.text
    }
    last = unnamed.has(font) ? character : null
  }
  return words
}

/** True if a character continues the word of the one before it. */
function isNext(last: Character, { style, x, y, width }: Character): boolean {
  if (style.font !== last.style.font) return false
  const [dx, dy] = [x - last.x, y - last.y]
  const gap = dx * style.x + dy * style.y - last.width
  const shift = dy * style.x - dx * style.y
  const reach = Math.min(maxGap.widths * last.width, maxGap.widths * width, maxGap.ems * style.em)
  return Math.abs(shift) < reach && Math.abs(gap) < reach
}

/** A text font with ligatures, or one without. The latter may be a typewriter font, whose codes are those of ASCII. */
type FontKind = 'text' | 'ligatures'

interface TexFonts {
  unnamed: ReadonlySet<string>
  fonts: ReadonlyMap<string, FontKind>
  encoding: Encoding | null
}

function decode(characters: readonly Character[], { unnamed, fonts, encoding }: TexFonts): Character[] {
  const decoded: Character[] = []
  let afterSpace = false
  for (const character of characters) {
    const { text, style } = character
    const kind = fonts.get(style.font)
    const isKnown = kind === 'ligatures' || (kind === 'text' && text < ' ')
    const meant = isKnown ? encoding?.get(text) : undefined
    if (meant === '' || (meant === undefined && unnamed.has(style.font) && spaceCode.test(text))) {
      afterSpace ||= meant === undefined
      continue
    }
    const changed = meant !== undefined || afterSpace
    decoded.push(
      changed ? { ...character, text: meant ?? text, afterSpace: afterSpace || character.afterSpace } : character,
    )
    afterSpace = false
  }
  return decoded
}
