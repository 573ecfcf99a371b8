import { across, advance, along } from './character-places.ts'
import type { Character } from './character.ts'

/** The circle of TeX's symbol fonts: as its code, and as engines know it by its name. */
const circles = new Set(['○', '◯', '\u20dd'])
/** Maximum distances of a letter from the middle of its circle, in ems. */
const reach = { along: 0.15, across: 0.4 }
const signs = new Map([
  ['c', '©'],
  ['C', '©'],
  ['R', '®'],
  ['P', '℗'],
])
/** The first of each range of letters or digits, and its circled form in Unicode. */
const ranges = [
  [/[1-9]/, 0x31, 0x2460],
  [/[A-Z]/, 0x41, 0x24b6],
  [/[a-z]/, 0x61, 0x24d0],
] as const

/**
 * Joins circles with the letters or digits inside them, such as TeX's copyright sign, which is a circle around a "c".
 * The sign has the place of the circle and the style of the letter.
 */
export function joinCircledLetters(characters: readonly Character[]): readonly Character[] {
  if (!characters.some(({ text }) => circles.has(text))) return characters
  const read: Character[] = []
  for (const character of characters) {
    const last = read.at(-1)
    const sign = last ? (join(last, character) ?? join(character, last)) : null
    if (last && sign) read[read.length - 1] = { ...sign, afterSpace: last.afterSpace, sameObject: false }
    else read.push(character)
  }
  return read
}

/** The sign of a circle around a letter; null if these are something else. */
function join(circle: Character, letter: Character): Character | null {
  if (!circles.has(circle.text) || letter.text.length !== 1) return null
  const { em, size, matrix } = circle.style
  const middle = along(circle) + advance(circle) / 2
  if (Math.abs(along(letter) + advance(letter) / 2 - middle) > em * reach.along) return null
  if (Math.abs(across(letter) - across(circle)) > em * reach.across) return null
  const text = signs.get(letter.text) ?? circled(letter.text)
  return text === null ? null : { ...circle, text, style: { ...letter.style, em, size, matrix } }
}

function circled(text: string): string | null {
  const range = ranges.find(([pattern]) => pattern.test(text))
  return range ? String.fromCharCode(text.charCodeAt(0) - range[1] + range[2]) : null
}
