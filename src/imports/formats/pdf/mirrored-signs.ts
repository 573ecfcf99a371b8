import { across, advance, along } from './character-places.ts'
import type { Character } from './character.ts'

/** Among how many characters before it the place of a mirrored sign is looked for. */
const maxDistance = 8
/** How far a sign may stand from the line and reach into its neighbours, in ems. */
const tolerance = { across: 0.4, along: 0.3 }

/**
 * The characters of a page with single signs that are mirrored left to right, as the E in the logo of XeTeX is, read as upright
 * ones in the gap of the line that they fill. Text of more than one sign stays mirrored.
 */
export function uprightMirrored(characters: readonly Character[]): readonly Character[] {
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
  const [a, b, c, d] = matrix
  return x < -0.99 && a * d - b * c < 0
}

function turn(character: Character): Character {
  const { style } = character
  const [a, b, c, d] = style.matrix
  const x = character.x - advance(character)
  return { ...character, x, style: { ...style, matrix: [-a, -b, c, d], x: -style.x, y: -style.y }, sameObject: false }
}

/** Puts a sign behind the character after which it stands on the page; at the end if there is no gap for it. */
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
