import type { FontFace } from '../page/pdf-file.ts'
import type { Character, TextStyle } from './character.ts'
import { across, advance, along } from './character-places.ts'

/** A line of characters in one size. */
interface Line {
  characters: [Character, ...Character[]]
  em: number
  isMono: boolean
  /** Its words of letters that are equally far apart; none in monospaced text. Null until they are needed. */
  words: SpacedWord[] | null
}

interface SpacedWord {
  /** The indexes of its characters. */
  first: number
  last: number
  /** The gap between its letters, in ems. */
  gap: number
  /** The width of a column, in ems. */
  pitch: number
}

/** Minimum number of letters of a word whose gaps are compared, and of such words in a line that shows the columns. */
const [minLetters, minWords] = [3, 3]
const letter = /^[\p{L}\p{N}]+$/u
/** Tolerances of equal gaps, of equal widths of columns, and of one baseline, in ems. */
const tolerance = { gap: 0.015, pitch: 0.02, baseline: 0.1 }
/** The widths of columns, in ems. */
const pitches = { least: 0.4, most: 0.75 }
/**
 * The letters of two words must be further apart than those of ordinary text, and the gaps of two words must differ, unlike
 * those of widely spaced text, in ems.
 */
const [minGap, minGapDifference] = [0.03, 0.05]
/** Minimum share of the words of a line whose columns are equally wide. */
const minFitting = 0.7
/** Maximum gap between two letters of a word, and between two characters of a line, in ems. */
const [maxLetterGap, maxGap] = [0.3, 60]
/** Maximum distance of the lines of a listing, in ems: of a line with words, and of one with signs only. */
const reach = { words: 8, signs: 2.5 }
/** Maximum number of lines in other sizes, such as their numbers, between two lines of a listing. */
const maxBetween = 2
/** Limit on the characters of a page: one with more is a drawing. */
const maxCharacters = 40_000

/**
 * Moves the characters of listings that are set in columns of equal width, but in a proportional font, to these columns,
 * as if the font were monospaced. LaTeX (`listings`) sets code like this unless it is told to use typewriter letters: a
 * word is as many columns wide as it has letters, so narrow letters are as far apart as words. Adds the faces of the
 * moved characters to `faces`.
 */
export function alignListings(characters: readonly Character[], faces: Map<string, FontFace>): readonly Character[] {
  if (characters.length > maxCharacters) return characters
  const lines = linesOf(characters, faces)
  const aligned = new Map<Character, Character>()
  const styles = new Map<TextStyle, TextStyle>()
  const done = new Set<Line>()
  for (const [at, line] of lines.entries()) {
    const pitch = done.has(line) ? null : pitchOf(line)
    if (pitch === null) continue
    const listing = listingAround(lines, at, pitch)
    const left = Math.min(...listing.map((one) => startOf(one, pitch)))
    for (const one of listing) {
      done.add(one)
      for (const [character, column] of columnsOf(one, { pitch, left })) {
        const style = styles.get(character.style) ?? monoStyle(character.style, faces)
        styles.set(character.style, style)
        aligned.set(character, { ...character, ...column, style })
      }
    }
  }
  return aligned.size === 0 ? characters : characters.map((character) => aligned.get(character) ?? character)
}

function linesOf(characters: readonly Character[], faces: ReadonlyMap<string, FontFace>): Line[] {
  const lines: Line[] = []
  for (const character of characters) {
    const line = lines.at(-1)
    if (line !== undefined && isNext(line, character)) line.characters.push(character)
    else lines.push({ characters: [character], em: character.style.em, isMono: false, words: null })
  }
  const mono = new Set(faces.keys().filter((font) => faces.get(font)?.mono === true))
  if (mono.size > 0) for (const line of lines) line.isMono = line.characters.some(({ style }) => mono.has(style.font))
  return lines
}

function isNext({ characters, em }: Line, character: Character): boolean {
  const last = characters.at(-1) as Character
  const { style } = character
  if (Math.abs(style.em - em) > em * 0.01 || style.x !== last.style.x || style.y !== last.style.y) return false
  const gap = gapBetween(last, character)
  return Math.abs(across(character) - across(last)) < em * tolerance.baseline && gap > -1 && gap < maxGap
}

/** The gap between two characters of a line, in ems. */
function gapBetween(before: Character, character: Character): number {
  return (along(character) - along(before) - advance(before)) / before.style.em
}

function wordsOf(line: Line): SpacedWord[] {
  line.words ??= line.isMono ? [] : findWords(line)
  return line.words
}

function findWords({ characters, em }: Line): SpacedWord[] {
  const words: SpacedWord[] = []
  const gaps = characters.slice(1).map((character, index) => gapBetween(characters[index] as Character, character))
  const isLetter = (index: number) => letter.test((characters[index] as Character).text)
  for (let first = 0; first < gaps.length;) {
    const gap = gaps[first] as number
    let last = first + 1
    if (isLetter(first) && isLetter(last))
      while (last < gaps.length && Math.abs((gaps[last] as number) - gap) < tolerance.gap && isLetter(last + 1)) last++
    const count = last - first + 1
    if (count >= minLetters && gap < maxLetterGap) {
      const [start, end] = [characters[first] as Character, characters[last] as Character]
      const width = (along(end) + advance(end) - along(start)) / em
      words.push({ first, last, gap, pitch: (width + 2 * gap) / count })
    }
    first = last
  }
  return words
}

/**
 * Whether three characters of a line are equally far apart, and further than those of ordinary text. In other lines, no
 * word shows columns.
 */
function hasWideWord({ characters }: Line): boolean {
  let last = 0
  for (let index = 1; index < characters.length; index++) {
    const gap = gapBetween(characters[index - 1] as Character, characters[index] as Character)
    if (last > minGap && last < maxLetterGap && Math.abs(gap - last) < tolerance.gap) return true
    last = gap
  }
  return false
}

/** The width of the columns of a line, in ems; null if it does not show columns. */
function pitchOf(line: Line): number | null {
  if (line.isMono || !hasWideWord(line)) return null
  const words = wordsOf(line)
  if (words.length < minWords) return null
  const pitch = words.map((word) => word.pitch).toSorted((a, b) => a - b)[words.length >> 1] as number
  if (pitch < pitches.least || pitch > pitches.most) return null
  const fitting = fittingWords(words, pitch)
  if (fitting.length < minWords || fitting.length < words.length * minFitting) return null
  const gaps = fitting.map(({ gap }) => gap)
  if (gaps.filter((gap) => gap > minGap).length < 2) return null
  return Math.max(...gaps) - Math.min(...gaps) < minGapDifference ? null : pitch
}

/** The lines of the listing around a line that shows its columns. */
function listingAround(lines: readonly Line[], at: number, pitch: number): Line[] {
  const listing = [lines[at] as Line]
  for (const step of [-1, 1]) {
    let last = lines[at] as Line
    for (let index = at + step, skipped = 0; skipped <= maxBetween; index += step) {
      const line = lines[index]
      if (line === undefined) break
      if (Math.abs(line.em - last.em) > last.em * 0.01) skipped++
      else if (!continues(line, last, pitch)) break
      else {
        listing.push(line)
        last = line
        skipped = 0
      }
    }
  }
  return listing
}

/** Whether a line belongs to the listing of the one before or after it: its words have columns of the same width. */
function continues(line: Line, { characters: [other], em }: Line, pitch: number): boolean {
  const [first] = line.characters
  if (line.isMono || first.style.x !== other.style.x || first.style.y !== other.style.y) return false
  const words = wordsOf(line)
  const distance = Math.abs(across(first) - across(other)) / em
  if (distance > (words.length > 0 ? reach.words : reach.signs)) return false
  return fittingWords(words, pitch).length >= words.length * minFitting
}

function fittingWords(words: readonly SpacedWord[], pitch: number): SpacedWord[] {
  return words.filter((word) => Math.abs(word.pitch - pitch) < tolerance.pitch)
}

/**
 * The gap on either side of a character that belongs to its word, in ems. It is the same between the letters of a word
 * and at its ends.
 */
function marginOf(line: Line, index: number, pitch: number): number {
  const word = wordsOf(line).findLast(({ first, last }) => first <= index && index <= last)
  return word?.gap ?? (pitch - advance(line.characters[index] as Character) / line.em) / 2
}

/** Where the first column of a line begins, in points. */
function startOf(line: Line, pitch: number): number {
  return along(line.characters[0]) - marginOf(line, 0, pitch) * line.em
}

/** The characters of a line, with their places in columns of `pitch` ems from `left`. */
function columnsOf(
  line: Line,
  { pitch, left }: { pitch: number; left: number },
): [Character, Pick<Character, 'x' | 'y' | 'width' | 'afterSpace'>][] {
  const { characters, em } = line
  const width = pitch * em
  let column = Math.round((startOf(line, pitch) - left) / width)
  let margin = 0
  return characters.map((character, index) => {
    const before = index === 0 ? undefined : characters[index - 1]
    const nextMargin = marginOf(line, index, pitch)
    const gap = before === undefined ? 0 : gapBetween(before, character) - margin - nextMargin
    const spaces = Math.max(0, Math.round(gap / pitch))
    if (before !== undefined) column += 1 + spaces
    margin = nextMargin
    const shift = left + column * width - along(character)
    const { x, y } = character.style
    const afterSpace = before === undefined ? character.afterSpace : spaces > 0
    return [character, { x: character.x + x * shift, y: character.y + y * shift, width, afterSpace }]
  })
}

/** A style with a monospaced face in place of its own. */
function monoStyle(style: TextStyle, faces: Map<string, FontFace>): TextStyle {
  const font = `${style.font} in columns`
  const { bold = false, italic = false } = faces.get(style.font) ?? {}
  faces.set(font, { bold, italic, mono: true, vertical: false })
  return { ...style, font }
}
