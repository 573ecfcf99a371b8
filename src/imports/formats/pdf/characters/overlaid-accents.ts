import { composeLetter, spacingAccentOf } from './compose-accents.ts'
import { across, advance, along } from './character-places.ts'
import type { Character } from './character.ts'

/** Spacing accents. Before or after a letter they are ordinary characters. */
const spacingAccents = new Set('`´^~¨¯¸\u02c6\u02c7\u02c9\u02ca\u02cb\u02d8\u02d9\u02da\u02db\u02dc\u02dd')
/** Matches letters. Unicode classifies some accents as modifier letters, which do not match. */
const letter = /^[\p{Lu}\p{Ll}\p{Lo}]$/u
/**
 * Maximum distances between the middles of an accent and its letter, and how far the accent may be raised or lowered,
 * in ems.
 */
const reach = { aside: 0.25, up: 0.6, down: 0.25 }
/** Maximum width of a letter, in ems. */
const maxLetterWidth = 1.5
/** Minimum width of a space, in ems. Next to an accent, the engine measures the gap from the accent, which is wrong. */
const spaceWidth = 0.15
const maxAccents = 5_000
const maxCandidates = 2_000
/** The height of a row, in points, and the maximum number of rows of one accent. */
const [rowHeight, maxRows] = [10, 200]

/**
 * Combines each accent that is drawn over or under a letter with that letter. TeX fonts without accented letters draw
 * them so, and the engine returns such accents before the letter, after it, or at the end of the line.
 */
export function joinOverlaidAccents(characters: readonly Character[]): readonly Character[] {
  const accents = characters.filter(({ text }) => spacingAccents.has(text)).slice(0, maxAccents)
  if (accents.length === 0) return characters
  const rows = new Set(accents.flatMap(rowsAround))
  const letters = characters
    .filter((character) => rows.has(rowOf(across(character))) && letter.test(character.text))
    .toSorted((a, b) => along(a) - along(b))
  const joined = new Set<Character>()
  const composed = new Map<Character, string>()
  for (const accent of accents) {
    const found = letterOf(accent, letters)
    const text = found && composeLetter(composed.get(found) ?? found.text, accent.text)
    if (!found || text === null || [...text].length > 1) continue
    composed.set(found, text)
    joined.add(accent)
  }
  return joined.size === 0 ? characters : withoutAccents(characters, joined, composed)
}

/** The rows of a page in which the letter of an accent can be: few letters are there, and only these are sorted. */
function rowsAround(accent: Character): number[] {
  const { em } = accent.style
  const [first, last] = [rowOf(across(accent) - em * reach.up), rowOf(across(accent) + em * reach.down)]
  return Array.from({ length: Math.min(last - first + 1, maxRows) }, (_, index) => first + index)
}

function rowOf(place: number): number {
  return Math.floor(place / rowHeight)
}

/**
 * Replaces combining marks by accents that stand by themselves: those that are not over a character, and those that the
 * file draws apart from their letter. Some fonts draw a backquote before a word as a mark over a space.
 */
export function freeMarks(characters: readonly Character[]): readonly Character[] {
  if (!characters.some(({ ink }) => ink)) return characters
  const others = characters.filter(({ ink }) => !ink).toSorted((a, b) => along(a) - along(b))
  let marks = 0
  return characters.map((mark, index) => {
    const { ink, style, text } = mark
    if (!ink || style.x < 0.99 || (marks += 1) > maxAccents) return mark
    const under = characterUnder(mark, (ink[0] + ink[1]) / 2, others)
    if (under && (under === characters[index - 1] || composeLetter(under.text, text) === null)) return mark
    const accent = spacingAccentOf(text.charCodeAt(0)) ?? text.charCodeAt(0)
    return { ...mark, text: String.fromCharCode(accent), x: ink[0], width: ink[1] - ink[0] }
  })
}

/** The one of `others`, which are in the order of their places, under the place `middle` of a mark. */
function characterUnder(mark: Character, middle: number, others: readonly Character[]): Character | null {
  const first = firstFrom(others, middle - mark.style.em * maxLetterWidth)
  for (let index = first; index < Math.min(others.length, first + maxCandidates); index += 1) {
    const other = others[index] as Character
    if (along(other) > middle) return null
    if (along(other) + advance(other) >= middle && isNear(mark, other)) return other
  }
  return null
}

/** The letter whose middle is nearest to the middle of an accent. */
function letterOf(accent: Character, letters: readonly Character[]): Character | null {
  const { em } = accent.style
  const middle = along(accent) + advance(accent) / 2
  let best: Character | null = null
  let least = em * reach.aside
  const first = firstFrom(letters, middle - em * maxLetterWidth)
  for (let index = first; index < Math.min(letters.length, first + maxCandidates); index += 1) {
    const candidate = letters[index] as Character
    if (along(candidate) > middle) break
    const distance = Math.abs(along(candidate) + advance(candidate) / 2 - middle)
    if (distance >= least || !isNear(accent, candidate)) continue
    best = candidate
    least = distance
  }
  return best
}

/** The index of the first letter that begins at `place` or later. */
function firstFrom(letters: readonly Character[], place: number): number {
  let [low, high] = [0, letters.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (along(letters[middle] as Character) < place) low = middle + 1
    else high = middle
  }
  return low
}

function isNear(accent: Character, base: Character): boolean {
  const { style } = accent
  const rise = across(accent) - across(base)
  return (
    rise < style.em * reach.up &&
    rise > -style.em * reach.down &&
    style.x * base.style.x + style.y * base.style.y > 0.99 &&
    Math.abs(style.em - base.style.em) < style.em * 0.3
  )
}

function withoutAccents(
  characters: readonly Character[],
  joined: ReadonlySet<Character>,
  composed: ReadonlyMap<Character, string>,
): Character[] {
  const kept: Character[] = []
  let afterAccent = false
  for (const character of characters) {
    if (joined.has(character)) {
      afterAccent = true
      continue
    }
    const last = kept.at(-1)
    const text = composed.get(character) ?? character.text
    const afterSpace = afterAccent && last ? isSeparate(last, character) : character.afterSpace
    kept.push({ ...character, text, afterSpace, sameObject: character.sameObject && !afterAccent })
    afterAccent = false
  }
  return kept
}

function isSeparate(last: Character, next: Character): boolean {
  return along(next) - along(last) - advance(last) > last.style.em * spaceWidth
}
