import { across, advance, along } from './character-places.ts'
import type { Character } from './character.ts'

/** How many preceding characters are searched for the position of a mirrored glyph. */
const maxDistance = 8
/** How far a mirrored glyph may be from the line, and how far it may overlap its neighbours, in ems. */
const tolerance = { across: 0.4, along: 0.3 }

/**
 * Turns single mirrored glyphs, such as the E in the XeTeX logo, into upright ones and inserts each into the gap that
 * it fills in the line. Mirrored text of several glyphs is unchanged.
 */
export function uprightMirroredGlyphs(characters: readonly Character[]): readonly Character[] {
  if (!characters.some(isMirrored)) return characters
  const read: Character[] = []
  for (const [index, character] of characters.entries()) {
    const neighbours = [characters[index - 1], characters[index + 1]]
    const isSingle = isMirrored(character) && !neighbours.some((other) => other?.style === character.style)
    if (isSingle) insert(read, turn(character))
    else read.push(character)
  }
  return read
}

function isMirrored({ style: { matrix, x } }: Character): boolean {
  if (x >= -0.99) return false
  const [a, b, c, d] = matrix
  return a * d - b * c < 0
}

function turn(character: Character): Character {
  const { style } = character
  const [a, b, c, d] = style.matrix
  const x = character.x - advance(character)
  return { ...character, x, style: { ...style, matrix: [-a, -b, c, d], x: -style.x, y: -style.y }, sameObject: false }
}

/** Inserts a glyph after the character that precedes it on the page; at the end if there is no gap for it. */
function insert(read: Character[], sign: Character): void {
  const { em } = sign.style
  const least = Math.max(0, read.length - maxDistance)
  for (let at = read.length - 1; at >= least; at -= 1) {
    const [before, after] = [read[at], read[at + 1]]
    if (!before || Math.abs(across(before) - across(sign)) > em * tolerance.across) break
    if (along(before) + advance(before) > along(sign) + em * tolerance.along) continue
    if (after && along(after) < along(sign) + advance(sign) - em * tolerance.along) break
    if (after) read[at + 1] = { ...after, afterSpace: false }
    read.splice(at + 1, 0, { ...sign, afterSpace: after ? false : sign.afterSpace })
    return
  }
  read.push(sign)
}
