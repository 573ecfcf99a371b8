import type { Character } from './character.ts'
import { calibriOrder } from './glyph-orders.ts'
import { calibriLigatures } from './text.ts'

/** The last code whose mapping says nothing about the others: see `replaceFalseLetters`. */
const lastLatin = '\u00ff'
/** Stands for a glyph of unknown meaning, and counts as unreadable. */
const replacementCharacter = '\ufffd'
const privateUse = /^[\ue000-\uf8ff]/

/** What is known about the fonts of a page. */
export interface PageFonts {
  /** Whether the font of a character has no text for it. */
  isUnmapped(at: number): boolean
  /** The fonts with codes of their own: symbol fonts, and those without a name. */
  others: ReadonlySet<string>
  calibri: ReadonlySet<string>
}

/**
 * The characters of a page with replacement characters for letters that are numbers of glyphs, and these letters. A font that
 * maps only a part of its glyphs to Unicode leaves out conjuncts, ligatures and final forms. The engine returns their
 * numbers as characters of any script. The order of Calibri's glyphs is known.
 *
 * In some fonts, the codes are those of Unicode, and the engine reads only the part of their map that is Latin-1. The rest is
 * right. A font that maps characters beyond Latin-1 has other codes, and so has one with numbers in `known`, the texts by place.
 */
export function replaceFalseLetters(
  characters: readonly Character[],
  { isUnmapped, others, calibri }: PageFonts,
  known: ReadonlyMap<number, string>,
): { characters: readonly Character[]; falseLetters: ReadonlySet<string> } {
  const mapping = new Set<string>()
  const unmapped: number[] = []
  for (const [at, { text, style }] of characters.entries()) {
    if (known.has(at)) mapping.add(style.font)
    if (text <= lastLatin || others.has(style.font) || privateUse.test(text)) continue
    if (!isUnmapped(at)) mapping.add(style.font)
    else if (!known.has(at) && !calibriLigatures.has(text)) unmapped.push(at)
  }
  const falseLetters = new Set<string>()
  const read = [...characters]
  for (const at of unmapped) {
    const character = characters[at]
    if (!character || !mapping.has(character.style.font)) continue
    const text = calibri.has(character.style.font)
      ? calibriOrder.texts.get(character.text.codePointAt(0) ?? 0)
      : undefined
    read[at] = { ...character, text: text ?? replacementCharacter }
    if (text === undefined) falseLetters.add(character.text)
  }
  return { characters: read, falseLetters }
}
