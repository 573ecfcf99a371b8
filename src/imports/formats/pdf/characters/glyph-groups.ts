import type { Character } from './character.ts'

/** Scripts of South and South-East Asia, in which several glyphs show a group of letters. */
const shapedScript = /[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff]/
const firstShaped = '\u0900'
/** More characters than a glyph shows. A file can place any number of characters at one point. */
const maxGroup = 16
/** Vowel signs that are shown to the left of the consonant that precedes them in Unicode. */
const leftSign =
  /[\u093f\u09bf\u09c7\u09c8\u0a3f\u0abf\u0b47\u0b48\u0bc6-\u0bc8\u0d46-\u0d48\u0dd9-\u0ddb\u1031\u17c1-\u17c3]/

/**
 * Removes the glyphs without text from fonts that map each group of letters to one of its glyphs, as Pango writes them:
 * the engine returns the codes of the others, whose letters are in the text of the group. In fonts that map every glyph
 * by itself, such a glyph is a letter that is lost, and stays. `isUnmapped` tells whether the font has no text for the
 * character at an index.
 */
export function dropGroupGlyphs(
  characters: readonly Character[],
  isUnmapped: (index: number) => boolean,
): readonly Character[] {
  const fonts = fontsOfGroups(characters, isUnmapped)
  if (fonts.size === 0) return characters
  const shown: Character[] = []
  let dropped: { afterSpace: boolean; sameObject: boolean } | undefined
  for (const [index, character] of characters.entries()) {
    const { afterSpace, sameObject, style, width } = character
    if (fonts.has(style.font) && isUnmapped(index)) {
      if (sameObject) widenGroup(shown, width)
      dropped = {
        afterSpace: afterSpace || dropped?.afterSpace === true,
        sameObject: sameObject && dropped?.sameObject !== false,
      }
      continue
    }
    shown.push(
      dropped === undefined
        ? character
        : {
            ...character,
            afterSpace: afterSpace || dropped.afterSpace,
            sameObject: sameObject && dropped.sameObject,
          },
    )
    dropped = undefined
  }
  return shown
}

/**
 * The fonts with groups of letters; none if a vowel sign precedes its consonant, because its glyph is mapped by itself. Where
 * the codes of a font are those of Unicode, marks without a width stand at one point and have no text of their own either.
 */
function fontsOfGroups(characters: readonly Character[], isUnmapped: (index: number) => boolean): Set<string> {
  const fonts = new Set<string>()
  let before: Character | undefined
  for (const [index, character] of characters.entries()) {
    const preceding = before
    before = character
    // The comparison spares most characters the test.
    if (character.text < firstShaped || !shapedScript.test(character.text)) continue
    if (preceding && isInGroup(preceding, character)) {
      if (!fonts.has(character.style.font) && !isUnmapped(index)) fonts.add(character.style.font)
    } else if (
      leftSign.test(character.text) &&
      (character.afterSpace || !preceding || !shapedScript.test(preceding.text))
    ) {
      return new Set()
    }
  }
  return fonts
}

/** Whether a character is shown by the same glyph as the preceding one. */
function isInGroup(before: Character, { x, y, sameObject }: Character): boolean {
  return sameObject && x === before.x && y === before.y
}

/** Adds the width of a glyph to the characters of the last group. */
function widenGroup(characters: Character[], width: number): void {
  const last = characters.at(-1)
  if (!last) return
  for (let index = characters.length - 1; index >= Math.max(0, characters.length - maxGroup); index -= 1) {
    const character = characters[index]
    if (!character || character.x !== last.x || character.y !== last.y) break
    characters[index] = { ...character, width: character.width + width }
  }
}
